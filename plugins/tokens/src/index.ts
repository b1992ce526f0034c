export { grantToken, type TokenGrant } from "./grant.ts";
export { createSigner, type SignedToken, type TokenRequest, type TokenSigner } from "./signer.ts";
export { currentTokens } from "./standing.ts";
export { tokens } from "./tokens.ts";
