import { isUtf8 } from "node:buffer";
import type { Json } from "@bylaw/kernel";
import { isBlank, oneLine, quote } from "@bylaw/wording";
import {
  LineCounter,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type Node,
} from "yaml";
import type { DataPath, Findings, Place, Places } from "./findings.ts";

/** The largest contract, in bytes. */
export const MAX_CONTRACT_BYTES = 262_144;
const MAX_DEPTH = 40;
const START: Place = { line: 1, column: 1 };

/** A text as data, frozen, with the places of its parts. */
export interface Source {
  readonly data: Json;
  readonly places: Places;
}

/**
 * The text in bytes, without a byte order mark. Undefined, with a finding, if it cannot be a
 * contract.
 */
export function textOf(input: string | Uint8Array, collected: Findings): string | undefined {
  const size = typeof input === "string" ? Buffer.byteLength(input) : input.length;
  const refuse = (message: string, fix: string): undefined => {
    collected.add("contract_text", START, message, fix);
    return undefined;
  };
  if (size > MAX_CONTRACT_BYTES) {
    return refuse(
      `The contract has ${size} bytes; at most ${MAX_CONTRACT_BYTES} are allowed`,
      "Move the schemas into files of their own",
    );
  }
  const wellFormed = typeof input === "string" ? input.isWellFormed() : isUtf8(input);
  if (!wellFormed) return refuse("The contract is not UTF-8 text", "Save the file as UTF-8");
  const text = (typeof input === "string" ? input : Buffer.from(input).toString("utf8")).replace(
    /^\ufeff/,
    "",
  );
  if (text.includes("\ufeff"))
    return refuse("A byte order mark may only stand at the start of the file", "Remove it");
  if (isBlank(text))
    return refuse(
      "The contract is empty",
      "Begin with `phases:`, `transitions:` and `enforcement:`",
    );
  return text;
}

let lastRead: { readonly text: string; readonly source: Source | undefined } | undefined;

/**
 * Parses YAML 1.2 that has only one possible reading. Undefined, with findings, if the text does
 * not parse.
 */
export function readSource(text: string, collected: Findings): Source | undefined {
  // Each plugin of a server reads the contract, and parsing takes most of that time.
  if (lastRead?.text === text) return lastRead.source;
  const before = collected.size;
  const source = parseSource(text, collected);
  // A text with findings is parsed again, to find them again.
  if (collected.size === before) lastRead = { text, source };
  return source;
}

function parseSource(text: string, collected: Findings): Source | undefined {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = documentOf(text, lines, collected);
  if (document === undefined) return undefined;
  for (const { message, pos } of document.errors) {
    collected.add(
      "contract_yaml",
      at(pos[0]),
      `Not valid YAML: ${oneLine(message.split("\n", 1)[0] ?? "", 300)}`,
    );
  }
  if (document.errors.length > 0) return undefined;
  if (
    document.directives?.yaml.explicit === true ||
    Object.keys(document.directives?.tags ?? {}).length > 1
  ) {
    collected.add(
      "contract_yaml",
      START,
      "YAML directives are not allowed",
      "Remove the lines that begin with `%`",
    );
  }
  if (!isMap(document.contents)) {
    collected.add("contract_yaml", START, "A contract is a YAML mapping with `phases`");
    return undefined;
  }
  const reader = new YamlReader(at, collected);
  return { data: reader.read(document.contents, [], START), places: reader.places() };
}

function documentOf(
  text: string,
  lines: LineCounter,
  collected: Findings,
): Document.Parsed | undefined {
  try {
    // Repeated keys are found below, because the library compares each key with all earlier ones.
    return parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      strict: true,
      uniqueKeys: false,
      version: "1.2",
      schema: "core",
    });
  } catch {
    collected.add("contract_yaml", START, "The contract is nested too deeply to parse");
    return undefined;
  }
}

/**
 * Converts a YAML tree to plain data. Parts with more than one possible reading are reported and
 * left out.
 */
class YamlReader {
  readonly #values = new Map<string, Place>();
  readonly #keys = new Map<string, Place>();
  readonly #at: (offset: number) => Place;
  readonly #collected: Findings;

  constructor(at: (offset: number) => Place, collected: Findings) {
    this.#at = at;
    this.#collected = collected;
  }

  read(node: unknown, path: readonly (string | number)[], place: Place): Json {
    this.#values.set(
      JSON.stringify(path),
      isScalar(node) || typeof path.at(-1) === "number" ? this.#placeOf(node) : place,
    );
    if (node === null || node === undefined) return null;
    if (path.length > MAX_DEPTH) {
      this.#refuse(node, `The contract is nested deeper than ${MAX_DEPTH} levels`);
      return null;
    }
    if (isAlias(node)) {
      this.#refuse(
        node,
        `YAML aliases are not allowed: ${quote(`*${node.source}`)}`,
        "Write the value out",
      );
      return null;
    }
    const { tag, anchor } = node as { readonly tag?: string; readonly anchor?: string };
    if (tag !== undefined)
      this.#refuse(node, `YAML tags are not allowed: ${quote(tag)}`, "Remove it");
    if (anchor !== undefined)
      this.#refuse(node, `YAML anchors are not allowed: ${quote(`&${anchor}`)}`, "Remove it");
    if (isSeq(node))
      return Object.freeze(
        node.items.map((item, index) => this.read(item, [...path, index], this.#placeOf(item))),
      );
    if (isMap(node)) return this.#mapping(node.items, path);
    return isScalar(node) ? this.#scalar(node) : null;
  }

  places(): Places {
    return {
      value: (path) => this.#nearest(this.#values, path),
      key: (path) => this.#nearest(this.#keys, path),
    };
  }

  #scalar(node: { readonly value: unknown }): Json {
    const { value } = node;
    if (
      typeof value === "boolean" ||
      value === null ||
      (typeof value === "string" && value.isWellFormed())
    )
      return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    this.#refuse(node, "This value cannot be written as JSON; use text, a number, true or false");
    return null;
  }

  #mapping(
    items: readonly { readonly key: unknown; readonly value: unknown }[],
    path: readonly (string | number)[],
  ): Json {
    const entries = new Map<string, Json>();
    for (const { key, value } of items) {
      const name =
        isScalar(key) && key.tag === undefined && key.anchor === undefined ? key.value : undefined;
      const place = this.#placeOf(key);
      if (
        typeof name !== "string" ||
        !name.isWellFormed() ||
        name === "__proto__" ||
        name === "<<"
      ) {
        this.#refuse(
          key,
          `Keys must be plain text${typeof name === "string" ? `, not ${quote(name)}` : ""}`,
          "Quote a key that is a number",
        );
        continue;
      }
      const below = [...path, name];
      if (entries.has(name)) {
        const message = `${quote(name)} is given twice`;
        this.#collected.add("duplicate_key", place, message, "Remove one of them");
        continue;
      }
      this.#keys.set(JSON.stringify(below), place);
      entries.set(name, this.read(value, below, place));
    }
    return Object.freeze(Object.fromEntries(entries));
  }

  #refuse(node: unknown, message: string, fix?: string): void {
    this.#collected.add("contract_yaml", this.#placeOf(node), message, fix);
  }

  #placeOf(node: unknown): Place {
    return this.#at((node as Node | null)?.range?.[0] ?? 0);
  }

  #nearest(map: ReadonlyMap<string, Place>, path: DataPath): Place {
    for (let length = path.length; length > 0; length--) {
      const key = JSON.stringify(path.slice(0, length));
      const value = this.#values.get(key);
      const place = length === path.length ? (map.get(key) ?? value) : value;
      if (place !== undefined) return place;
    }
    return START;
  }
}
