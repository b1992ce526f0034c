import { hkdfSync } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";

/** What a link answers, and who answers by it. */
export interface AnswerLink {
  readonly question: string;
  /** The name of an operator. */
  readonly by: string;
}

const AUDIENCE = "bylaw/answer-link";
const ALGORITHM = "HS256";

/**
 * Signs and verifies the links by which operators answer. The first secret signs, and all of them verify. The keys are derived, so no
 * other token of the server is a link, and no link is a token. A link is for one run.
 */
export class AnswerLinks {
  readonly #keys: readonly Uint8Array[];
  readonly #run: string;
  readonly #now: () => Date;

  constructor(
    secrets: readonly string[],
    { run, now }: { readonly run: string; readonly now: () => string },
  ) {
    this.#keys = secrets.map((text) => new Uint8Array(hkdfSync("sha256", text, "", AUDIENCE, 32)));
    this.#run = run;
    this.#now = () => new Date(now());
  }

  async sign({ question, by }: AnswerLink, minutes: number): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("The server has no secret of tokens");
    const at = this.#now().getTime() / 1_000;
    return await new SignJWT({ run: this.#run })
      .setProtectedHeader({ alg: ALGORITHM })
      .setAudience(AUDIENCE)
      .setJti(question)
      .setSubject(by)
      .setExpirationTime(Math.floor(at + minutes * 60))
      .sign(key);
  }

  /** Resolves to what a valid link is about. `undefined` for any other text. */
  async read(token: string): Promise<AnswerLink | undefined> {
    for (const key of this.#keys)
      try {
        const { payload } = await jwtVerify<{ readonly run?: unknown }>(token, key, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          currentDate: this.#now(),
          requiredClaims: ["exp", "jti", "sub"],
        });
        const { jti, sub, run } = payload;
        if (jti !== undefined && sub !== undefined && run === this.#run)
          return { question: jti, by: sub };
      } catch {
        // Another key may have signed it.
      }
    return undefined;
  }
}
