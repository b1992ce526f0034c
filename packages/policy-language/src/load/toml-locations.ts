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

/** Scans TOML text that the parser has accepted. */
export function createLocator(text: string): Locator {
  const placeOf = placesIn(text);
  return {
    rules(key = "rules") {
      const items: number[] = [];
      scan(text, { children: new Map([[key, { children: new Map(), items }]]) });
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
      scan(text, root);
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

// The text is valid TOML, so the scan only needs to find where each thing ends.
function scan(text: string, root: PathRef): void {
  const counts = new Map<string, number>();
  let table: PathRef | undefined = root;
  let at = 0;

  const blank = (): void => {
    for (;;) {
      const char = text.charCodeAt(at);
      if (char === 32 || char === 9 || char === 10 || char === 13) at++;
      else if (char === 35) at = endOfLine(text, at);
      else return;
    }
  };

  const key = (): readonly string[] => {
    const steps: string[] = [];
    for (;;) {
      blank();
      const char = text[at];
      const from = at;
      if (char === '"' || char === "'") {
        at = endOfString(text, at);
        if (steps.length < MAX_STEPS)
          steps.push(char === '"' ? unquote(text.slice(from, at)) : text.slice(from + 1, at - 1));
      } else {
        while (isBare(text.charCodeAt(at))) at++;
        if (at === from) at++;
        if (steps.length < MAX_STEPS) steps.push(text.slice(from, at));
      }
      while (text[at] === " " || text[at] === "\t") at++;
      if (text[at] !== ".") return steps;
      at++;
    }
  };

  const value = (node: PathRef | undefined): void => {
    blank();
    const char = text[at];
    if (char === '"' || char === "'") at = endOfString(text, at);
    else if (char === "[") list("]", (index) => value(child(node, index, at)));
    else if (char === "{") list("}", () => entry(node));
    else while (at < text.length && !isEnd(text.charCodeAt(at))) at++;
  };

  const list = (close: string, item: (index: number) => void): void => {
    at++;
    for (let index = 0; ;) {
      blank();
      const char = text[at];
      if (char === undefined) return;
      if (char === "," || char === close) at++;
      if (char === close) return;
      if (char !== ",") item(index++);
    }
  };

  const entry = (base: PathRef | undefined): void => {
    const offset = at;
    let node = base;
    for (const step of key()) node = child(node, step, offset);
    blank();
    if (text[at] === "=") at++;
    value(node);
  };

  // In a header, the name of an array of tables means its last item.
  const header = (offset: number): PathRef | undefined => {
    const isItem = text[at + 1] === "[";
    at += isItem ? 2 : 1;
    const steps = key();
    let node: PathRef | undefined = root;
    let name = "";
    for (const [index, step] of steps.entries()) {
      node = child(node, step, offset);
      name += `${JSON.stringify(step)}.`;
      const last = counts.get(name);
      if (isItem && index === steps.length - 1) {
        counts.set(name, (last ?? -1) + 1);
        node = child(node, (last ?? -1) + 1, offset);
      } else if (last !== undefined) {
        name += `${last}.`;
        node = child(node, last, offset);
      }
    }
    at = endOfLine(text, at);
    return node;
  };

  for (;;) {
    blank();
    if (at >= text.length) return;
    if (text[at] === "[") table = header(at);
    else entry(table);
  }
}

function isEnd(char: number): boolean {
  return char === 44 || char === 93 || char === 125 || char === 10 || char === 13 || char === 35;
}

function isBare(char: number): boolean {
  return (
    (char >= 97 && char <= 122) ||
    (char >= 65 && char <= 90) ||
    (char >= 48 && char <= 57) ||
    char === 95 ||
    char === 45
  );
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
