import { messageOf, type Json } from "@bylaw/kernel";
import { TomlError, parse as parseToml } from "smol-toml";
import { plain, unreadable, type DataPath } from "./data-file.ts";
import type { Place } from "./place.ts";

export function tomlValue(file: string, text: string): Json {
  let value: unknown;
  try {
    value = parseToml(text);
  } catch (cause) {
    if (!(cause instanceof TomlError))
      throw unreadable(file, `Not valid TOML: ${messageOf(cause)}`, undefined, cause);
    const [first = ""] = cause.message.split("\n");
    const { line, column } = cause;
    throw unreadable(
      file,
      `Not valid TOML: ${first.replace(/^Invalid TOML document: /, "")}`,
      { line, column },
      cause,
    );
  }
  return plain(file, value);
}

// smol-toml does not report places. Keys of a configuration are few and flat, so the line of a key is found by its text. In a list
// of tables, the index counts the headers.
/** The place of a part of a TOML text. */
export function tomlPlace(text: string, path: DataPath): Place | undefined {
  const lines = text.split("\n");
  let from = 0;
  let place: Place | undefined;
  for (const [depth, step] of path.entries()) {
    if (typeof step === "number") {
      const list = escape(String(path[depth - 1]));
      const header = new RegExp(`^\\s*\\[\\[\\s*"?${list}"?\\s*\\]\\]`);
      const headers = lines.flatMap((line, index) => (header.test(line) ? [index] : []));
      const line = headers[step];
      if (line === undefined) continue;
      from = line;
      place = { line: line + 1, column: 1 };
      continue;
    }
    const key = escape(String(step));
    const written = new RegExp(
      `(?:^|[.{,])\\s*["']?${key}["']?\\s*[.=]|^\\s*\\[+[^\\]]*["']?${key}["']?\\s*[.\\]]`,
    );
    const line = lines.findIndex((candidate, index) => index >= from && written.test(candidate));
    if (line === -1) break;
    from = line;
    place = { line: line + 1, column: (lines[line] ?? "").search(/\S/) + 1 };
  }
  return place;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
