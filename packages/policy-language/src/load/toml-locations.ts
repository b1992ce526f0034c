import { placesIn, type TextPlace } from "./text-places.ts";

/** Finds the positions of tables, keys and array items in TOML text. */
export interface Locator {
  /** The positions of the `[[rules]]` headers, or of the items of `rules = [ … ]`, in order. `key` selects another array. */
  rules(key?: string): readonly TextPlace[];
  /** The positions of keys or items, one for each path. For a path that is not in the text, the position of its nearest parent. */
  at(paths: readonly (readonly (string | number)[])[]): readonly TextPlace[];
}

type Step = string | number;

/** A node of the tree of paths to look for. Other parts of the text are skipped. */
interface PathRef {
  readonly children: Map<Step, PathRef>;
  /** Collects the start of every item of this array. */
  readonly items?: number[];
  offset?: number;
}

// No path in a policy is longer.
const MAX_STEPS = 32;
const BLANK = /[ \t\r\n]*/y;
const SPACES = /[ \t]*/y;
const BARE_KEY = /[A-Za-z0-9_-]*/y;
const BARE_VALUE = /[^,\]}\r\n#]*/y;

/** Scans TOML text that the parser has accepted. */
export function createLocator(text: string): Locator {
  const placeOf = placesIn(text);
  return {
    rules(key = "rules") {
      const items: number[] = [];
      new TomlScan(text, { children: new Map([[key, { children: new Map(), items }]]) }).run();
      return items.map(placeOf);
    },
    at(paths) {
      const root: PathRef = { children: new Map(), offset: 0 };
      const ways = paths.map((path) => {
        let node = root;
        return path.map((step) => {
          let child = node.children.get(step);
          if (child === undefined) node.children.set(step, (child = { children: new Map() }));
          return (node = child);
        });
      });
      new TomlScan(text, root).run();
      return ways.map((way) =>
        placeOf(way.findLast(({ offset }) => offset !== undefined)?.offset ?? 0),
      );
    },
  };
}

function child(node: PathRef | undefined, step: Step, offset: number): PathRef | undefined {
  if (typeof step === "number" && node?.items !== undefined) node.items[step] ??= offset;
  const next = node?.children.get(step);
  if (next !== undefined) next.offset ??= offset;
  return next;
}

/** Walks the text once and stores the offsets of the paths that are looked for. The text must be valid TOML. */
class TomlScan {
  readonly #text: string;
  readonly #root: PathRef;
  /** The index of the last item of each array of tables, by its name. */
  readonly #lastItems = new Map<string, number>();
  #at = 0;

  constructor(text: string, root: PathRef) {
    this.#text = text;
    this.#root = root;
  }

  run(): void {
    let table: PathRef | undefined = this.#root;
    for (;;) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === "[") table = this.#header(this.#at);
      else this.#readEntry(table);
    }
  }

  #skip(what: RegExp): void {
    what.lastIndex = this.#at;
    if (what.test(this.#text)) this.#at = what.lastIndex;
  }

  #skipBlank(): void {
    this.#skip(BLANK);
    while (this.#text[this.#at] === "#") {
      this.#at = endOfLine(this.#text, this.#at);
      this.#skip(BLANK);
    }
  }

  // In a header, the name of an array of tables means its last item.
  #header(offset: number): PathRef | undefined {
    const isItem = this.#text[this.#at + 1] === "[";
    this.#at += isItem ? 2 : 1;
    const steps = this.#key();
    let node: PathRef | undefined = this.#root;
    let name = "";
    for (const [index, step] of steps.entries()) {
      node = child(node, step, offset);
      name += `${JSON.stringify(step)}.`;
      const last = this.#lastItems.get(name);
      if (isItem && index === steps.length - 1) {
        this.#lastItems.set(name, (last ?? -1) + 1);
        node = child(node, (last ?? -1) + 1, offset);
      } else if (last !== undefined) {
        name += `${last}.`;
        node = child(node, last, offset);
      }
    }
    this.#at = endOfLine(this.#text, this.#at);
    return node;
  }

  #readEntry(base: PathRef | undefined): void {
    const offset = this.#at;
    let node = base;
    for (const step of this.#key()) node = child(node, step, offset);
    this.#skipBlank();
    if (this.#text[this.#at] === "=") this.#at++;
    this.#value(node);
  }

  #key(): readonly string[] {
    const steps: string[] = [];
    for (;;) {
      this.#skipBlank();
      const step = this.#keyStep();
      if (steps.length < MAX_STEPS) steps.push(step);
      this.#skip(SPACES);
      if (this.#text[this.#at] !== ".") return steps;
      this.#at++;
    }
  }

  #keyStep(): string {
    const from = this.#at;
    const char = this.#text[from];
    if (char === '"' || char === "'") {
      this.#at = endOfString(this.#text, from);
      return char === '"'
        ? unquote(this.#text.slice(from, this.#at))
        : this.#text.slice(from + 1, this.#at - 1);
    }
    this.#skip(BARE_KEY);
    if (this.#at === from) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  #value(node: PathRef | undefined): void {
    this.#skipBlank();
    const char = this.#text[this.#at];
    if (char === '"' || char === "'") this.#at = endOfString(this.#text, this.#at);
    else if (char === "[") this.#list("]", (index) => this.#value(child(node, index, this.#at)));
    else if (char === "{") this.#list("}", () => this.#readEntry(node));
    else this.#skip(BARE_VALUE);
  }

  #list(close: string, item: (index: number) => void): void {
    this.#at++;
    for (let index = 0; ;) {
      this.#skipBlank();
      const char = this.#text[this.#at];
      if (char === undefined) return;
      if (char === "," || char === close) this.#at++;
      if (char === close) return;
      if (char !== ",") item(index++);
    }
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

// Returns the index after the string that starts at `at`.
function endOfString(text: string, at: number): number {
  const mark = text[at] ?? "";
  const long = text.startsWith(mark.repeat(3), at);
  const close = long ? mark.repeat(3) : mark;
  let here = at + close.length;
  for (;;) {
    const end = text.indexOf(close, here);
    if (end < 0) return text.length;
    if (mark === '"' && isEscaped(text, end, here)) {
      here = end + 1;
      continue;
    }
    if (!long) return end + 1;
    // Up to two quotes right before the closing three belong to the text.
    let stop = end + 3;
    while (stop < end + 5 && text[stop] === mark) stop++;
    return stop;
  }
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0;
  while (at - slashes - 1 >= from && text[at - slashes - 1] === "\\") slashes++;
  return slashes % 2 === 1;
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
