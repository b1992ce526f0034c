import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { BylawError } from "@bylaw/kernel";

export interface Secret {
  /** Where it was set, for messages: "`BYLAW_JWT_SECRET`". */
  readonly name: string;
  readonly text: string;
  /** The file that it is in. Absolute. */
  readonly file?: string | undefined;
}

/** A secret by what it is compared by: its text or, of an operator in a file, the digest alone. */
export interface SecretDigest {
  readonly name: string;
  /** SHA-256 of its text, in hexadecimal digits. */
  readonly digest: string;
}

/** White space around a secret makes no other secret. */
const digestOf = ({ name, text }: Secret): SecretDigest => ({
  name,
  digest: createHash("sha256").update(text.trim(), "utf8").digest("hex"),
});

/**
 * Refuses one value for two secrets: whoever is given one of them would hold the other, such as an agent the token of an operator. Throws
 * BYLAW_SECRET_INVALID, which names both and shows neither.
 */
export function checkDistinct(
  secrets: readonly Secret[],
  others: readonly SecretDigest[] = [],
): void {
  const names = new Map<string, string>();
  for (const { name, digest } of [...secrets.map(digestOf), ...others]) {
    const other = names.get(digest);
    if (other !== undefined)
      throw invalidSecret(
        `${other} and ${name} have the same value`,
        "Give each a value of its own: `openssl rand -base64 48` creates one.",
      );
    names.set(digest, name);
  }
}

export const invalidSecret = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_SECRET_INVALID", message, fix });

/** A new shared secret, as a file has it. */
export const newSecret = (): string => `${randomBytes(48).toString("base64url")}\n`;

/** Writes a secret for its owner alone, unless the file exists. */
export function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process was quicker, or it was made on an earlier start.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
