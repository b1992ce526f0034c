import { BylawError } from "@bylaw/kernel";
import { withoutMark } from "../load/byte-order-mark.ts";

/** A JSON value with its position. `line` and `column` count from 1. */
export type Node =
  | {
      readonly kind: "object";
      readonly entries: readonly (readonly [key: string, value: Node])[];
      readonly line: number;
      readonly column: number;
    }
  | {
      readonly kind: "array";
      readonly items: readonly Node[];
      readonly line: number;
      readonly column: number;
    }
  | { readonly kind: "text"; readonly text: string; readonly line: number; readonly column: number }
  | {
      readonly kind: "other";
      readonly value: number | boolean | null;
      readonly line: number;
      readonly column: number;
    };

const MAX_DEPTH = 64;

/**
 * Parses JSON with positions. Line and block comments are skipped, because the settings of both tools may contain
 * them. Throws `BYLAW_IMPORT_INVALID`.
 */
export function readJson(source: string, file: string): Node {
  const text = withoutMark(source);
  let at = 0;
  let line = 1;
  let start = 0;

  const fail = (wanted: string): never => {
    const actual = at >= text.length ? "end" : JSON.stringify(text[at]);
    throw new BylawError({
      code: "BYLAW_IMPORT_INVALID",
      message: `Found ${actual} instead of ${wanted}`,
      fix: "Import settings that the tool itself can read",
      source: { file, line, column: at - start + 1 },
    });
  };
  const skip = (to: number): void => {
    for (
      let next = text.indexOf("\n", at);
      next >= 0 && next < to;
      next = text.indexOf("\n", next + 1)
    ) {
      line++;
      start = next + 1;
    }
    at = to;
  };
  const blank = (): void => {
    for (;;) {
      const found = /^(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(
        text.slice(at, at + 65_536),
      )?.[0];
      if (found === undefined) return;
      skip(at + found.length);
    }
  };
  const string = (): string => {
    const found = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
    found.lastIndex = at;
    const raw = found.exec(text)?.[0];
    if (raw === undefined) return fail("a string in double quotes that ends on the same line");
    try {
      const value = JSON.parse(raw) as string;
      skip(at + raw.length);
      return value;
    } catch {
      return fail("a string with valid JSON escapes");
    }
  };
  const list = (close: string, item: () => void): void => {
    skip(at + 1);
    blank();
    if (text[at] === close) return skip(at + 1);
    for (;;) {
      item();
      blank();
      const char = text[at];
      if (char !== "," && char !== close) fail(`\`,\` or \`${close}\``);
      skip(at + 1);
      if (char === close) return;
      blank();
    }
  };
  const value = (depth: number): Node => {
    blank();
    if (depth > MAX_DEPTH) fail(`at most ${MAX_DEPTH} levels`);
    const place = { line, column: at - start + 1 };
    if (text[at] === "{") {
      const entries: [string, Node][] = [];
      list("}", () => {
        const key = string();
        if (entries.some(([known]) => known === key)) fail(`one value of ${JSON.stringify(key)}`);
        blank();
        if (text[at] !== ":") fail("`:`");
        skip(at + 1);
        entries.push([key, value(depth + 1)]);
      });
      return { kind: "object", entries, ...place };
    }
    if (text[at] === "[") {
      const items: Node[] = [];
      list("]", () => void items.push(value(depth + 1)));
      return { kind: "array", items, ...place };
    }
    if (text[at] === '"') return { kind: "text", text: string(), ...place };
    const word = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      text.slice(at, at + 64),
    )?.[0];
    if (word === undefined) return fail("a value");
    skip(at + word.length);
    return { kind: "other", value: JSON.parse(word) as number | boolean | null, ...place };
  };

  const root = value(0);
  blank();
  if (at < text.length) fail("the end");
  return root;
}

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
