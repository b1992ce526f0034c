import type { Json } from "@bylaw/kernel";

/** The value in JSON text, which some tools take as arguments. Null if the text is no object or array. */
export function jsonIn(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
