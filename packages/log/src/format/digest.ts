import { hash } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";

/** `sha256:` and 64 hexadecimal digits over the UTF-8 bytes of the canonical text. */
export const digestOf = (value: Json): string =>
  `sha256:${hash("sha256", canonicalJson(value), "hex")}`;
