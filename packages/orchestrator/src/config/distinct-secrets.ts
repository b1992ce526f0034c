import { createHash } from "node:crypto";
import { BylawError } from "@bylaw/kernel";

/** A secret, by the words that say where it was set. */
export interface NamedSecret {
  /** Such as "`BYLAW_JWT_SECRET`". */
  readonly name: string;
  /** SHA-256 of its text, in hexadecimal digits. */
  readonly digest: string;
}

/** A secret as it is compared: white space around it is nobody's secret. */
export const namedSecret = (name: string, text: string): NamedSecret => ({
  name,
  digest: createHash("sha256").update(text.trim(), "utf8").digest("hex"),
});

/**
 * Refuses one value for two secrets: whoever is given one of them would hold the other, such as an agent the token of an operator. Throws
 * BYLAW_SECRET_INVALID, which names both and shows neither.
 */
export function checkDistinct(secrets: readonly NamedSecret[]): void {
  const names = new Map<string, string>();
  for (const { name, digest } of secrets) {
    const other = names.get(digest);
    if (other !== undefined)
      throw new BylawError({
        code: "BYLAW_SECRET_INVALID",
        message: `${other} and ${name} have the same value`,
        fix: "Give each a value of its own: `openssl rand -base64 48` creates one.",
      });
    names.set(digest, name);
  }
}
