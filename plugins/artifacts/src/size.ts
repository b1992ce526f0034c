import type { Json } from "@bylaw/kernel";

/** What an artifact may come to: values, levels, and characters of names and texts. */
export const LIMITS = { values: 50_000, depth: 64, characters: 2_000_000 } as const;

/** Which limit a value goes beyond, or nothing. Takes no longer for a larger value. */
export function beyond(value: Json): keyof typeof LIMITS | undefined {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 1 }];
  let values = 0;
  let characters = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (values > LIMITS.values) return "values";
    if (next.depth > LIMITS.depth) return "depth";
    if (typeof next.value === "string") characters += next.value.length;
    else if (typeof next.value === "object" && next.value !== null) {
      const depth = next.depth + 1;
      const entries = Object.entries<Json>(next.value);
      if (values + open.length + entries.length > LIMITS.values) return "values";
      for (const [name, item] of entries) {
        characters += name.length;
        open.push({ value: item, depth });
      }
    }
    if (characters > LIMITS.characters) return "characters";
  }
  return undefined;
}
