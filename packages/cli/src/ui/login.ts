import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Lets in the person who sees the terminal: a code that works once is exchanged for the token of one browser tab. */
export interface Login {
  readonly code: string;
  /** Returns a token for the right code, the first time. */
  enter(code: string): string | undefined;
  /** Whether an Authorization header has the token. */
  knows(header: string | undefined): boolean;
}

export function createLogin(): Login {
  const code = randomBytes(15).toString("hex");
  let token: string | undefined;
  return {
    code,
    enter(given) {
      if (token !== undefined || !isSame(given, code)) return undefined;
      token = randomBytes(32).toString("base64url");
      return token;
    },
    knows: (header = "") => token !== undefined && isSame(header, `Bearer ${token}`),
  };
}

// The time it takes does not reveal where the texts differ.
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(digestOf(one), digestOf(other));

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
