import { extname } from "node:path";
import { BylawError, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import { TomlError, parse as parseToml } from "smol-toml";
import { LineCounter, isMap, isPair, isScalar, isSeq, parseDocument, type Node } from "yaml";
import { parseJson } from "./parse-json.ts";
import { placeOf, type Place } from "./place.ts";

/** The way to a value: keys of objects and indexes of lists. */
export type DataPath = readonly PropertyKey[];

/** A configuration as data, with the places of its parts. */
export interface DataFile {
  readonly value: Json;
  /** Where a part stands, as near as the format tells. */
  readonly place: (path: DataPath) => Place | undefined;
}

/** Parses a JSON, YAML or TOML text by the ending of its file. Throws BYLAW_CONFIG_INVALID or BYLAW_JSON_INVALID. */
export function parseData(file: string, text: string): DataFile {
  switch (extname(file)) {
    case ".json":
      // Every JSON text is YAML, so one locator serves both.
      return { value: parseJson(text, { file }), place: (path) => yamlPlace(text, path) };
    case ".toml":
      return { value: tomlValue(file, text), place: (path) => tomlPlace(text, path) };
    default:
      return { value: yamlValue(file, text), place: (path) => yamlPlace(text, path) };
  }
}

function invalid(file: string, message: string, place?: Place, cause?: unknown): BylawError {
  return new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message,
    source: { file, ...place },
    cause,
  });
}

function plain(file: string, value: unknown): Json {
  try {
    return freezeJson(value);
  } catch (cause) {
    throw invalid(file, messageOf(cause), undefined, cause);
  }
}

function tomlValue(file: string, text: string): Json {
  let value: unknown;
  try {
    value = parseToml(text);
  } catch (cause) {
    if (!(cause instanceof TomlError))
      throw invalid(file, `Not valid TOML: ${messageOf(cause)}`, undefined, cause);
    const [first = ""] = cause.message.split("\n");
    const { line, column } = cause;
    throw invalid(
      file,
      `Not valid TOML: ${first.replace(/^Invalid TOML document: /, "")}`,
      { line, column },
      cause,
    );
  }
  return plain(file, value);
}

function yamlValue(file: string, text: string): Json {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
  });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw invalid(file, `Not valid YAML: ${messageOf(fault)}`, { line, column: col }, fault);
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch (cause) {
    throw invalid(file, `Not valid YAML: ${messageOf(cause)}`, undefined, cause);
  }
  return plain(file, value);
}

function yamlPlace(text: string, path: DataPath): Place | undefined {
  let node: Node | null = parseDocument(text).contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && item.key.value === step,
      );
      if (pair === undefined || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node) && typeof step === "number") {
      node = (node.items[step] ?? null) as Node | null;
      offset = node?.range?.[0] ?? offset;
    } else break;
  }
  return placeOf(text, offset);
}

// smol-toml keeps no places. Keys of a configuration are few and flat, so the line that writes the key is found by its text;
// inside a list of tables the index counts the headers.
function tomlPlace(text: string, path: DataPath): Place | undefined {
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
