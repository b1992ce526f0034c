import { BylawError, type Json } from "@bylaw/kernel";
import type { Host } from "../host.ts";

/** A value of a settings file and its place: offsets in UTF-16 code units, the end exclusive. */
export interface JsonNode {
  readonly kind: "object" | "array" | "scalar";
  readonly start: number;
  readonly end: number;
  readonly value: Json;
  /** The members of an object or array. */
  readonly members?: readonly JsonMember[];
}

/** A member. `start` is the offset of its key, if it has one. */
export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly node: JsonNode;
}

/**
 * Parses JSON with comments and trailing commas, as settings of agents have them. Throws BYLAW_HOST_FILE_INVALID, also for a
 * repeated key, because programs differ in which one they use.
 */
export const readJsonc = (text: string, file: string): JsonNode => new Reader(text, file).read();

/**
 * Parses the settings of a host. If a host is given, throws BYLAW_HOST_FILE_INVALID for text that the host cannot read: most hosts
 * would skip the file and run every call.
 */
export function readFor(host: Host | undefined, text: string, file: string): JsonNode {
  const node = readJsonc(text, file);
  if (host === undefined) return node;
  const { comments } = host.capabilities;
  try {
    JSON.parse(comments ? text.replaceAll(STRING_OR_COMMENT, "$1") : text);
    return node;
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_HOST_FILE_INVALID",
      message: `${host.title} does not read settings with ${comments ? "" : "comments, "}trailing commas, or a byte order mark`,
      fix: `Remove them from ${file}, then try again.`,
      source: { file },
      cause,
    });
  }
}

export const memberOf = (node: JsonNode, key: string): JsonMember | undefined =>
  node.kind === "object" ? node.members?.find((member) => member.key === key) : undefined;

const STRING_OR_COMMENT = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const MAX_DEPTH = 64;

class Reader {
  #at: number;
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
  }

  read(): JsonNode {
    if (/\r(?!\n)/.test(this.#text))
      this.#fail(
        "A line ends with a lone carriage return, which some programs do not read as its end",
      );
    const root = this.#value(MAX_DEPTH);
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail("There is more after the end of the JSON value");
    return root;
  }

  #value(depth: number): JsonNode {
    this.#match(SPACE);
    const start = this.#at;
    const opened = this.#text[start];
    if (opened !== "{" && opened !== "[") return this.#scalar();
    if (depth === 0) this.#fail("The file is nested too deeply");
    this.#at += 1;
    const kind = opened === "{" ? "object" : "array";
    const members = this.#members(kind, depth - 1);
    const entries = members.map(({ key, node }) => [key, node.value] as const);
    const value = kind === "object" ? Object.fromEntries(entries) : entries.map(([, item]) => item);
    return { kind, start, end: this.#at, value, members };
  }

  #members(kind: "object" | "array", depth: number): readonly JsonMember[] {
    const close = kind === "object" ? "}" : "]";
    const members: JsonMember[] = [];
    while (!this.#take(close)) {
      if (members.length > 0 && !this.#take(",")) this.#fail(`A \`,\` or \`${close}\` is missing`);
      if (members.length > 0 && this.#take(close)) break;
      this.#match(SPACE);
      const start = this.#at;
      const key = kind === "object" ? this.#key(members) : String(members.length);
      members.push({ key, start, node: this.#value(depth) });
    }
    return members;
  }

  #key(before: readonly JsonMember[]): string {
    const key = this.#scalar().value;
    if (typeof key !== "string") return this.#fail("A key must be in double quotes");
    if (key === "__proto__") this.#fail("The key `__proto__` is not allowed");
    if (before.some((one) => one.key === key)) this.#fail(`The key \`${key}\` appears twice`);
    if (!this.#take(":")) this.#fail("A `:` is missing after a key");
    return key;
  }

  #scalar(): JsonNode {
    const start = this.#at;
    const found = this.#match(SCALAR);
    try {
      return { kind: "scalar", start, end: this.#at, value: JSON.parse(found) as Json };
    } catch {
      return this.#fail("This is not valid JSON");
    }
  }

  #take(character: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #fail(message: string): never {
    throw new BylawError({
      code: "BYLAW_HOST_FILE_INVALID",
      message,
      fix: "Correct the file, then try again. Nothing was changed.",
      source: { file: this.#file, line: this.#text.slice(0, this.#at).split("\n").length },
    });
  }
}
