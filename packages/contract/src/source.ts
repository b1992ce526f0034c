import { isUtf8 } from "node:buffer";
import type { Json } from "@bylaw/kernel";
import { oneLine, quote } from "@bylaw/wording";
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import type { DataPath, Drafts, Place, Places } from "./drafts.ts";

/** The most bytes that a contract may have. */
export const MAX_CONTRACT_BYTES = 262_144;
const MAX_DEPTH = 40;
const START: Place = { line: 1, column: 1 };

/** A text as data, with the places of its parts. */
export interface Source {
  readonly data: Json;
  readonly places: Places;
}

/** The text of bytes, without a byte order mark; nothing, and a finding, where it cannot be one. */
export function textOf(input: string | Uint8Array, drafts: Drafts): string | undefined {
  const size = typeof input === "string" ? Buffer.byteLength(input) : input.length;
  const refuse = (message: string, fix: string): undefined => {
    drafts.add("contract_text", START, message, fix);
    return undefined;
  };
  if (size > MAX_CONTRACT_BYTES) {
    return refuse(`Unexpected ${size} bytes, expected at most ${MAX_CONTRACT_BYTES}`, "move the schemas into files of their own");
  }
  const wellFormed = typeof input === "string" ? input.isWellFormed() : isUtf8(input);
  if (!wellFormed) return refuse("Unexpected bytes that are not UTF-8, expected text", "save the file as UTF-8");
  const text = (typeof input === "string" ? input : Buffer.from(input).toString("utf8")).replace(/^\ufeff/, "");
  if (text.includes("\ufeff")) return refuse("Unexpected byte order mark inside the text, expected one at its start at most", "remove it");
  if (text.trim() === "")
    return refuse("Unexpected empty file, expected a contract", "begin with `phases:`, `transitions:` and `enforcement:`");
  return text;
}

/** Reads YAML 1.2 of which there is only one reading. Nothing, and findings, where it does not parse. */
export function readSource(text: string, drafts: Drafts): Source | undefined {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = documentOf(text, lines, drafts);
  if (document === undefined) return undefined;
  for (const { message, pos } of document.errors) {
    drafts.add("contract_yaml", at(pos[0]), `Unexpected YAML: ${oneLine(message.split("\n", 1)[0] ?? "", 300)}`);
  }
  if (document.errors.length > 0) return undefined;
  if (document.directives?.yaml.explicit === true || Object.keys(document.directives?.tags ?? {}).length > 1) {
    drafts.add("contract_yaml", START, "Unexpected directive, expected YAML 1.2 without one", "remove the lines that begin with `%`");
  }
  if (!isMap(document.contents)) {
    drafts.add("contract_yaml", START, "Unexpected YAML that is no mapping, expected a contract with `phases`");
    return undefined;
  }
  return plainData(document.contents, at, drafts);
}

function documentOf(text: string, lines: LineCounter, drafts: Drafts): Document.Parsed | undefined {
  try {
    // Keys are compared below: the library compares each with all before it.
    return parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      strict: true,
      uniqueKeys: false,
      version: "1.2",
      schema: "core",
    });
  } catch {
    drafts.add("contract_yaml", START, "Unexpected nesting that the parser does not follow, expected a contract");
    return undefined;
  }
}

/** A tree of YAML as plain data. What has more than one reading is reported and left out. */
function plainData(root: Node, at: (offset: number) => Place, drafts: Drafts): Source {
  const values = new Map<string, Place>();
  const keys = new Map<string, Place>();
  const refuse = (node: unknown, message: string, fix?: string): void => drafts.add("contract_yaml", placeOf(node), message, fix);
  const placeOf = (node: unknown): Place => at((node as Node | null)?.range?.[0] ?? 0);

  const read = (node: unknown, path: readonly (string | number)[], place: Place): Json => {
    values.set(JSON.stringify(path), isScalar(node) || typeof path.at(-1) === "number" ? placeOf(node) : place);
    if (node === null || node === undefined) return null;
    if (path.length > MAX_DEPTH) {
      refuse(node, `Unexpected nesting deeper than ${MAX_DEPTH} levels, expected a contract`);
      return null;
    }
    if (isAlias(node)) {
      refuse(
        node,
        `Unexpected alias ${quote(`*${node.source}`)}, expected the value itself`,
        "write the value out: a reader sees what holds",
      );
      return null;
    }
    const { tag, anchor } = node as { readonly tag?: string; readonly anchor?: string };
    if (tag !== undefined) refuse(node, `Unexpected tag ${quote(tag)}, expected a plain value`, "remove it");
    if (anchor !== undefined) refuse(node, `Unexpected anchor ${quote(`&${anchor}`)}, expected a plain value`, "remove it");
    if (isSeq(node)) return node.items.map((item, index) => read(item, [...path, index], placeOf(item)));
    if (isMap(node)) return mapping(node.items, path);
    return isScalar(node) ? scalar(node) : null;
  };
  const scalar = (node: { readonly value: unknown }): Json => {
    const { value } = node;
    if (typeof value === "boolean" || value === null || (typeof value === "string" && value.isWellFormed())) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    refuse(node, "Unexpected value that JSON cannot say, expected text, a number, true or false");
    return null;
  };
  const mapping = (items: readonly { readonly key: unknown; readonly value: unknown }[], path: readonly (string | number)[]): Json => {
    const entries = new Map<string, Json>();
    for (const { key, value } of items) {
      const name = isScalar(key) && key.tag === undefined && key.anchor === undefined ? key.value : undefined;
      const place = placeOf(key);
      if (typeof name !== "string" || !name.isWellFormed() || name === "__proto__" || name === "<<") {
        refuse(
          key,
          `Unexpected key ${typeof name === "string" ? quote(name) : "that is no plain text"}, expected a name`,
          "put quotes around a key that is a number",
        );
        continue;
      }
      const below = [...path, name];
      if (entries.has(name)) {
        drafts.add("duplicate_key", place, `Unexpected second ${quote(name)}, expected each key once`, "remove one of them");
        continue;
      }
      keys.set(JSON.stringify(below), place);
      entries.set(name, read(value, below, place));
    }
    return Object.fromEntries(entries);
  };

  const data = read(root, [], START);
  const nearest = (map: ReadonlyMap<string, Place>, path: DataPath): Place => {
    for (let length = path.length; length > 0; length--) {
      const key = JSON.stringify(path.slice(0, length));
      const place = length === path.length ? (map.get(key) ?? values.get(key)) : values.get(key);
      if (place !== undefined) return place;
    }
    return START;
  };
  return { data, places: { value: (path) => nearest(values, path), key: (path) => nearest(keys, path) } };
}
