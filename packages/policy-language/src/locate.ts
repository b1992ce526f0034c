/** A place in a text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds the places of tables, keys and array items in TOML text. */
export interface Locator {
  /** The place of the n-th `[[rules]]` (or item of `rules = [ … ]`), from 0. */
  rule(index: number): Place;
  /** The place of the key or item at a path, or of the nearest thing above it. */
  at(path: readonly (string | number)[]): Place;
}

type Step = string | number;

/** Reads TOML that the parser accepted. Nothing is looked up before it is asked for. */
export function createLocator(text: string): Locator {
  let rules: number[] | undefined;
  let places: Map<string, number> | undefined;
  const lines = lineStarts(text);
  const placeOf = (offset: number): Place => {
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
  };
  return {
    rule(index) {
      if (rules === undefined) {
        const found: number[] = [];
        scan(text, { deep: false }, (path, offset) => {
          if (path.length === 2 && path[0] === "rules" && typeof path[1] === "number") found[path[1]] ??= offset;
        });
        rules = found;
      }
      return placeOf(rules[index] ?? 0);
    },
    at(path) {
      if (places === undefined) {
        const found = new Map<string, number>();
        scan(text, { deep: true }, (steps, offset) => {
          const key = JSON.stringify(steps);
          if (!found.has(key)) found.set(key, offset);
        });
        places = found;
      }
      for (let length = path.length; length > 0; length--) {
        const offset = places.get(JSON.stringify(path.slice(0, length)));
        if (offset !== undefined) return placeOf(offset);
      }
      return { line: 1, column: 1 };
    },
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

type Visit = (path: readonly Step[], offset: number) => void;

// The text is valid TOML, so the scan only has to know where things end.
// `deep`: keys are visited too; else only tables and the items of arrays at the top.
function scan(text: string, { deep }: { readonly deep: boolean }, visit: Visit): void {
  const counts = new Map<string, number>();
  let table: Step[] = [];
  let at = 0;

  const blank = (): void => {
    for (;;) {
      const char = text.charCodeAt(at);
      if (char === 32 || char === 9 || char === 10 || char === 13) at++;
      else if (char === 35) at = endOfLine(text, at);
      else return;
    }
  };

  const key = (): { readonly steps: string[]; readonly offset: number } => {
    const steps: string[] = [];
    blank();
    const offset = at;
    for (;;) {
      blank();
      const char = text[at];
      if (char === '"' || char === "'") {
        const from = at;
        at = endOfString(text, at);
        steps.push(char === '"' ? unquote(text.slice(from, at)) : text.slice(from + 1, at - 1));
      } else {
        const from = at;
        while (isBare(text.charCodeAt(at))) at++;
        if (at === from) at++;
        steps.push(text.slice(from, at));
      }
      while (text[at] === " " || text[at] === "\t") at++;
      if (text[at] !== ".") return { steps, offset };
      at++;
    }
  };

  const value = (path: readonly Step[]): void => {
    blank();
    const char = text[at];
    if (char === '"' || char === "'") at = endOfString(text, at);
    else if (char === "[") array(path);
    else if (char === "{") inline(path);
    else while (at < text.length && !/[,\]}\n\r#]/.test(text[at] ?? "")) at++;
  };

  const array = (path: readonly Step[]): void => {
    at++;
    for (let index = 0; ;) {
      blank();
      const char = text[at];
      if (char === undefined) return;
      if (char === "]") {
        at++;
        return;
      }
      if (char === ",") {
        at++;
        continue;
      }
      const item = [...path, index++];
      visit(item, at);
      value(item);
    }
  };

  const inline = (path: readonly Step[]): void => {
    at++;
    for (;;) {
      blank();
      const char = text[at];
      if (char === undefined) return;
      if (char === "}") {
        at++;
        return;
      }
      if (char === ",") at++;
      else entry(path);
    }
  };

  const entry = (path: readonly Step[]): void => {
    const { steps, offset } = key();
    const full = [...path, ...steps];
    if (deep) for (let length = path.length + 1; length <= full.length; length++) visit(full.slice(0, length), offset);
    blank();
    if (text[at] === "=") at++;
    value(full);
  };

  // A header names the last item of every array of tables on its way.
  const resolve = (steps: readonly string[], isItem: boolean): Step[] => {
    const path: Step[] = [];
    for (const [index, step] of steps.entries()) {
      path.push(step);
      const name = JSON.stringify(path);
      const last = index === steps.length - 1;
      if (last && isItem) {
        const next = (counts.get(name) ?? -1) + 1;
        counts.set(name, next);
        path.push(next);
      } else {
        const current = counts.get(name);
        if (current !== undefined) path.push(current);
      }
    }
    return path;
  };

  for (;;) {
    blank();
    if (at >= text.length) return;
    if (text[at] !== "[") {
      entry(table);
      continue;
    }
    const offset = at;
    const isItem = text[at + 1] === "[";
    at += isItem ? 2 : 1;
    const { steps } = key();
    table = resolve(steps, isItem);
    visit(table, offset);
    at = endOfLine(text, at);
  }
}

function isBare(char: number): boolean {
  return (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || (char >= 48 && char <= 57) || char === 95 || char === 45;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

// The index after the string that starts at `at`.
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
    // Up to two more quotes belong to the text before the closing three.
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
