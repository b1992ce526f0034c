import { withoutMark } from "../load/byte-order-mark.ts";
import { placesIn } from "../load/text-places.ts";

export type Literal =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Literal[] };

/** One statement: a call with named literals, or text that is none and the reason why. Lines and columns count from 1. */
export type Statement =
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: ReadonlyMap<string, Literal>;
      readonly line: number;
      readonly column: number;
    }
  | {
      readonly kind: "other";
      readonly message: string;
      readonly text: string;
      readonly line: number;
      readonly column: number;
    };

interface Token {
  readonly kind: "name" | "text" | "mark" | "line" | "end" | "bad";
  readonly text: string;
  readonly at: number;
}

const MAX_DEPTH = 16;

class Wrong extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/**
 * Reads the literal subset of Starlark in which rules files are written: calls with named arguments, strings and lists. Evaluates
 * nothing. Anything else becomes a statement of kind `other`, and reading continues at the next line without indentation.
 */
export function readStarlark(source: string): readonly Statement[] {
  const text = withoutMark(source).replaceAll("\r\n", "\n");
  const statements: Statement[] = [];
  const place = placesIn(text);
  let at = 0;
  while (at < text.length) {
    const blank = /(?:[ \t\n;]|#[^\n]*|\\\n)+/y;
    blank.lastIndex = at;
    if (blank.test(text)) {
      at = blank.lastIndex;
      continue;
    }
    const start = at;
    try {
      const reader = new Reader(text, at);
      const { name, args } = reader.statement();
      statements.push({ kind: "call", name, args, ...place(start) });
      at = reader.at;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      const end = text.indexOf("\n", start);
      const first = text.slice(start, end < 0 ? undefined : end).trim();
      statements.push({
        kind: "other",
        message: error.message,
        text: first,
        ...place(Math.max(start, error.at)),
      });
      at = nextAtMargin(text, Math.max(start, error.at));
    }
  }
  return statements;
}

function nextAtMargin(text: string, from: number): number {
  const found = /\n(?=[A-Za-z_])/g;
  found.lastIndex = from;
  return found.exec(text) === null ? text.length : found.lastIndex;
}

class Reader {
  readonly #text: string;
  at: number;
  #depth = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  statement(): { readonly name: string; readonly args: ReadonlyMap<string, Literal> } {
    const name = this.#take("name", "a call like `prefix_rule(…)`").text;
    this.#mark("(", "`(` of a call");
    this.#depth = 1;
    const args = new Map<string, Literal>();
    for (;;) {
      const token = this.#next();
      if (token.kind === "mark" && token.text === ")") break;
      if (token.kind !== "name")
        throw new Wrong(token.at, `Found ${describe(token)} instead of a named argument or \`)\``);
      this.#mark("=", "`=` of a named argument");
      if (args.has(token.text))
        throw new Wrong(token.at, `The argument \`${token.text}\` is given twice`);
      args.set(token.text, this.#literal());
      const after = this.#next();
      if (after.kind === "mark" && after.text === ")") break;
      if (after.kind !== "mark" || after.text !== ",")
        throw new Wrong(after.at, `Found ${describe(after)} instead of \`,\` or \`)\``);
    }
    this.#depth = 0;
    const end = this.#next();
    if (end.kind !== "line" && end.kind !== "end")
      throw new Wrong(end.at, `Found ${describe(end)} instead of the end of the line`);
    return { name, args };
  }

  #literal(): Literal {
    const token = this.#next();
    if (token.kind === "text") return { kind: "text", text: token.text };
    if (token.kind !== "mark" || token.text !== "[")
      throw new Wrong(token.at, `Found ${describe(token)} instead of a string or a list`);
    if (this.#depth >= MAX_DEPTH)
      throw new Wrong(token.at, `Lists nest more than ${MAX_DEPTH} levels deep`);
    this.#depth++;
    const items: Literal[] = [];
    for (;;) {
      const before = this.at;
      const next = this.#next();
      if (next.kind === "mark" && next.text === "]") break;
      this.at = before;
      items.push(this.#literal());
      const after = this.#next();
      if (after.kind === "mark" && after.text === "]") break;
      if (after.kind !== "mark" || after.text !== ",")
        throw new Wrong(after.at, `Found ${describe(after)} instead of \`,\` or \`]\``);
    }
    this.#depth--;
    return { kind: "list", items };
  }

  #take(kind: Token["kind"], wanted: string): Token {
    const token = this.#next();
    if (token.kind !== kind)
      throw new Wrong(token.at, `Found ${describe(token)} instead of ${wanted}`);
    return token;
  }

  #mark(text: string, wanted: string): void {
    const token = this.#take("mark", wanted);
    if (token.text !== text)
      throw new Wrong(token.at, `Found ${describe(token)} instead of ${wanted}`);
  }

  #next(): Token {
    const inside = this.#depth > 0;
    const blank = inside ? /(?:[ \t\n]|#[^\n]*|\\\n)*/y : /(?:[ \t]|#[^\n]*|\\\n)*/y;
    blank.lastIndex = this.at;
    this.at += blank.exec(this.#text)?.[0].length ?? 0;
    const { at } = this;
    const char = this.#text[at];
    if (char === undefined) return { kind: "end", text: "", at };
    if (char === "\n" || char === ";") return this.#token("line", char);
    const quoted = /(r?)("""|'''|"|')/y;
    quoted.lastIndex = at;
    const opened = quoted.exec(this.#text);
    if (opened !== null)
      return this.#string(opened[1] === "r", opened[2] ?? '"', at + opened[0].length);
    const word = /[A-Za-z_][A-Za-z0-9_]*/y;
    word.lastIndex = at;
    const name = word.exec(this.#text)?.[0];
    if (name !== undefined) return this.#token("name", name);
    return this.#token("()[]=,".includes(char) ? "mark" : "bad", char);
  }

  #token(kind: Token["kind"], text: string): Token {
    const token = { kind, text, at: this.at };
    this.at += text.length;
    return token;
  }

  #string(raw: boolean, close: string, from: number): Token {
    const { at } = this;
    let text = "";
    for (let here = from; ;) {
      if (this.#text.startsWith(close, here)) {
        this.at = here + close.length;
        return { kind: "text", text, at };
      }
      const char = this.#text[here];
      if (char === undefined || (char === "\n" && close.length === 1))
        throw new Wrong(here, `The string is not closed with \`${close}\``);
      if (char !== "\\") {
        text += char;
        here++;
        continue;
      }
      const next = this.#text[here + 1] ?? "";
      const escaped = raw ? `\\${next}` : ESCAPES[next];
      if (escaped === undefined)
        throw new Wrong(
          here,
          `\`\\${next}\` is not an escape. Escapes are \\\\, \\", \\', \\n, \\r and \\t`,
        );
      text += escaped;
      here += 2;
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\",
  '"': '"',
  "'": "'",
  n: "\n",
  r: "\r",
  t: "\t",
  "\n": "",
};

function describe({ kind, text }: Token): string {
  if (kind === "end") return "end of the file";
  return kind === "line" ? "end of the line" : kind === "text" ? "text" : `\`${text}\``;
}
