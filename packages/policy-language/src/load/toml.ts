import type { JsonObject } from "@bylaw/kernel";
import { parse } from "smol-toml";

/**
 * Parses TOML in the way that every policy is parsed: rejects keys of object prototypes and excessive nesting. Throws
 * TomlError or RangeError.
 */
export function readToml(text: string): JsonObject {
  return parse(text, { unsafeKeyBehaviour: "throw", maxDepth: 64 }) as JsonObject;
}
