import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Login as LoginKind } from "@bylaw/dashboard";

/** Lets a person in: a secret is exchanged for the token of one browser tab. */
export interface Login {
  /** What the page asks for. */
  readonly kind: LoginKind;
  /** How to get a new token. */
  readonly fix: string;
  /** Returns a token for the right secret. */
  enter(secret: string): string | undefined;
  /** Whether an Authorization header has the token. */
  knows(header: string | undefined): boolean;
}

/** Lets in the person who sees the terminal, by a code that works once. */
export function createLogin(): Login & { readonly code: string } {
  const code = randomBytes(15).toString("hex");
  let token: string | undefined;
  return {
    ...{ kind: "code", code },
    fix: "Start `bylaw ui` again, and open its address.",
    enter(given) {
      if (token !== undefined || !isSame(given, code)) return undefined;
      token = createToken();
      return token;
    },
    knows: (header = "") => token !== undefined && isSame(header, `Bearer ${token}`),
  };
}

/** Lets in an operator, who has the token of their own as long as `isOperator` says so. A new tab ends the one before. */
export function createOperatorLogin(isOperator: (secret: string) => boolean): Login {
  let known: { readonly secret: string; readonly token: string } | undefined;
  return {
    kind: "operator",
    fix: "Sign in with the token of the operator.",
    enter(secret) {
      if (!isOperator(secret)) return undefined;
      known = { secret, token: createToken() };
      return known.token;
    },
    knows: (header = "") =>
      known !== undefined && isSame(header, `Bearer ${known.token}`) && isOperator(known.secret),
  };
}

const createToken = (): string => randomBytes(32).toString("base64url");

// The time it takes does not reveal where the texts differ.
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(digestOf(one), digestOf(other));

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
