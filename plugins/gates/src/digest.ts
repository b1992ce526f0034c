import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";

/** `sha256:` and 64 hexadecimal digits over the RFC 8785 text, at once: a tap has no time to wait. */
export const digestOf = (value: Json): string => `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;
