import type { JsonObject } from "@bylaw/kernel";
import { parse } from "smol-toml";

/** Reads TOML as every policy is read: no key that a prototype has, no nesting without end. Throws TomlError, RangeError. */
export function readToml(text: string): JsonObject {
  return parse(text, { unsafeKeyBehaviour: "throw", maxDepth: 64 }) as JsonObject;
}
