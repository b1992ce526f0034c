import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { BylawError } from "@bylaw/kernel";

export interface Secret {
  /** Where it was set, for messages: "`BYLAW_JWT_SECRET`". */
  readonly name: string;
  readonly text: string;
  /** The file that holds it. Absolute. */
  readonly file?: string | undefined;
}

/** A secret in the form in which it is compared. For an operator in a file, only the digest is known. */
export interface SecretDigest {
  readonly name: string;
  /** The SHA-256 of its text, in hexadecimal digits. */
  readonly digest: string;
}

/** Space around a secret does not count. */
const digestOf = ({ name, text }: Secret): SecretDigest => ({
  name,
  digest: createHash("sha256").update(text.trim(), "utf8").digest("hex"),
});

/**
 * Refuses equal values for two secrets, because a person who has one would have the other: an agent, for example, the token of an operator.
 * Throws BYLAW_SECRET_INVALID, which names both and shows neither.
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

/** A new shared secret as the text of a file. */
export const newSecret = (): string => `${randomBytes(48).toString("base64url")}\n`;

/** Writes a secret that only its owner can read, unless the file exists. */
export function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process or an earlier start has created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
