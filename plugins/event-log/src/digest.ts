import { createHash, createHmac } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";

/** The text in place of a redacted value: `sha256:…`, or with a key `hmac-sha256:…`, over the value's RFC 8785 text. */
export type Digest = (value: Json) => string;

/** Reads the key, if there is one. Throws BYLAW_KEY_EXPOSED and BYLAW_KEY_INVALID. */
export function digestWith(key_file: string | undefined): Digest {
  if (key_file === undefined)
    return (value) => `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;
  const key = readKeyFile(key_file);
  return (value) =>
    `hmac-sha256:${createHmac("sha256", key).update(canonicalJson(value)).digest("hex")}`;
}

/** Whether a text is such a digest. */
export const isDigest = (text: string): boolean => /^(?:hmac-)?sha256:[0-9a-f]{64}$/.test(text);
