type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

/** Keys with their values, in the order of the text. */
export type TomlTable = { readonly [key: string]: TomlValue };

/** Formats a table, one line for each key. */
export function tomlOf(table: TomlTable): readonly string[] {
  return Object.entries(table).map(([key, value]) => `${keyOf(key)} = ${valueOf(value)}`);
}

/** Formats text as comment lines. No line break or control character in it can end the comment. */
export function comment(text: string): readonly string[] {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return [`# ${line.length > 160 ? `${line.slice(0, 159)}…` : line}`];
}

const keyOf = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : textOf(key));

function valueOf(value: TomlValue): string {
  if (typeof value === "string") return textOf(value);
  if (Array.isArray(value)) return `[${(value as readonly TomlValue[]).map(valueOf).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${keyOf(key)} = ${valueOf(item)}`)
    .join(", ")} }`;
}

// JSON does not escape DEL, but TOML forbids it.
const textOf = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
