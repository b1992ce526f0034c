import { hash } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";

/** The SHA-256 of the UTF-8 bytes of a value's canonical text: `sha256:` and 64 hexadecimal digits. */
export const digestOf = (value: Json): string =>
  `sha256:${hash("sha256", canonicalJson(value), "hex")}`;
