import { BylawError } from "@bylaw/kernel";
import { withoutMark } from "../load/byte-order-mark.ts";
import type { SourcePlace } from "./finding.ts";
import { placesIn, type TextPlace } from "../load/text-places.ts";

/** A JSON value with its position. `line` and `column` count from 1. */
export type Node = TextPlace &
  (
    | {
        readonly kind: "object";
        readonly entries: readonly (readonly [key: string, value: Node])[];
      }
    | { readonly kind: "array"; readonly items: readonly Node[] }
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "other"; readonly value: number | boolean | null }
  );

const MAX_DEPTH = 64;

/**
 * Parses JSON with positions. Line and block comments are skipped, because the settings of both tools may contain
 * them. Throws `BYLAW_IMPORT_INVALID`.
 */
export const readJson = (source: string, file: string): Node =>
  new JsonReader(withoutMark(source), file).read();

class JsonReader {
  readonly #text: string;
  readonly #file: string;
  readonly #placeOf: (offset: number) => TextPlace;
  #at = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
    this.#placeOf = placesIn(text);
  }

  read(): Node {
    const root = this.#value(0);
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail("the end");
    return root;
  }

  #value(depth: number): Node {
    this.#skipBlank();
    if (depth > MAX_DEPTH) this.#fail(`at most ${MAX_DEPTH} levels`);
    const place = this.#placeOf(this.#at);
    switch (this.#text[this.#at]) {
      case "{":
        return { kind: "object", entries: this.#entries(depth + 1), ...place };
      case "[": {
        const items: Node[] = [];
        this.#list("]", () => void items.push(this.#value(depth + 1)));
        return { kind: "array", items, ...place };
      }
      case '"':
        return { kind: "text", text: this.#string(), ...place };
      default:
        return { kind: "other", value: this.#word(), ...place };
    }
  }

  #entries(depth: number): readonly (readonly [string, Node])[] {
    const entries: [string, Node][] = [];
    this.#list("}", () => {
      const key = this.#string();
      if (entries.some(([known]) => known === key))
        this.#fail(`one value of ${JSON.stringify(key)}`);
      this.#skipBlank();
      if (this.#text[this.#at] !== ":") this.#fail("`:`");
      this.#at++;
      entries.push([key, this.#value(depth)]);
    });
    return entries;
  }

  #list(close: string, item: () => void): void {
    this.#at++;
    this.#skipBlank();
    if (this.#text[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      item();
      this.#skipBlank();
      const char = this.#text[this.#at];
      if (char !== "," && char !== close) this.#fail(`\`,\` or \`${close}\``);
      this.#at++;
      if (char === close) return;
      this.#skipBlank();
    }
  }

  #string(): string {
    const found = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
    found.lastIndex = this.#at;
    const raw = found.exec(this.#text)?.[0];
    if (raw === undefined)
      return this.#fail("a string in double quotes that ends on the same line");
    try {
      const value = JSON.parse(raw) as string;
      this.#at += raw.length;
      return value;
    } catch {
      return this.#fail("a string with valid JSON escapes");
    }
  }

  #word(): number | boolean | null {
    const word = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      this.#text.slice(this.#at, this.#at + 64),
    )?.[0];
    if (word === undefined) return this.#fail("a value");
    this.#at += word.length;
    return JSON.parse(word) as number | boolean | null;
  }

  #skipBlank(): void {
    for (;;) {
      const found = /^(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(
        this.#text.slice(this.#at, this.#at + 65_536),
      )?.[0];
      if (found === undefined) return;
      this.#at += found.length;
    }
  }

  #fail(wanted: string): never {
    const actual = this.#at >= this.#text.length ? "end" : JSON.stringify(this.#text[this.#at]);
    throw new BylawError({
      code: "BYLAW_IMPORT_INVALID",
      message: `Found ${actual} instead of ${wanted}`,
      fix: "Import settings that the tool itself can read",
      source: { file: this.#file, ...this.#placeOf(this.#at) },
    });
  }
}

/** The position of a value, for a report. */
export const placeOf = (file: string, { line, column }: Node, source: string): SourcePlace => ({
  file,
  line,
  column,
  source,
});

/** Returns the value of a key of an object. */
export const member = (node: Node | undefined, key: string): Node | undefined =>
  node?.kind === "object" ? node.entries.find(([name]) => name === key)?.[1] : undefined;

/** Formats a value for a report. */
export function shown(node: Node): string {
  switch (node.kind) {
    case "text":
      return JSON.stringify(node.text);
    case "other":
      return String(node.value);
    case "array":
      return `[${node.items.map(shown).join(", ")}]`;
    case "object":
      return `{ ${node.entries.map(([key, value]) => `${JSON.stringify(key)}: ${shown(value)}`).join(", ")} }`;
  }
}
