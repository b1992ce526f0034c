export { claimsDigest, type Claims } from "./claims.ts";
export { grantToken, type TokenGrant } from "./grant.ts";
export { createSigner, type SignedToken, type TokenRequest, TokenSigner } from "./signer.ts";
export { currentTokenFault } from "./current-token.ts";
export { EVENT_TYPES, tokens } from "./tokens.ts";
