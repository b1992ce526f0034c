import type { Span } from "./secret-forms.ts";

/** Values that are secret in one event, wherever the event repeats them. */
export interface KnownValues {
  /** Where a text repeats one of the values. `short`: includes values of three to five characters that stand alone. */
  find(text: string, short: boolean): readonly Span[];
}

/** The number of equal first characters that identify a value in a text that was cut off. */
const PREFIX = 16;
const LONG = 6;
const MIN_LENGTH = 3;
/** The most values with the same first characters that are compared one by one. */
const SAME_BEGINNING = 8;
const WORD = /[^\s"'`]*/y;

/** Linear in the length of a text, however many values there are: each position is looked up by the characters that begin there. */
export function knownValues(values: Iterable<string>): KnownValues | undefined {
  const byLength = new Map<number, Map<string, string[]>>();
  const first = new Set<number>();
  for (const value of new Set([...values].flatMap(spellings))) {
    if (value.length < MIN_LENGTH) continue;
    const length = Math.min(value.length, PREFIX);
    const begin = value.slice(0, length);
    const table = byLength.get(length) ?? new Map<string, string[]>();
    const same = table.get(begin) ?? [];
    if (same.length <= SAME_BEGINNING) same.push(value);
    table.set(begin, same);
    byLength.set(length, table);
    first.add(value.charCodeAt(0));
  }
  if (byLength.size === 0) return undefined;
  const lengths = [...byLength].sort(([one], [other]) => other - one);

  function endAt(text: string, start: number, short: boolean): number {
    for (const [length, table] of lengths) {
      if (length < LONG && (!short || !standsAlone(text, start, length))) continue;
      const same = table.get(text.slice(start, start + length));
      if (same === undefined) continue;
      if (length < PREFIX) return start + length;
      if (same.length > SAME_BEGINNING) {
        WORD.lastIndex = start + length;
        WORD.test(text);
        return WORD.lastIndex;
      }
      return Math.max(...same.map((value) => start + common(text, start, value)));
    }
    return start;
  }

  return {
    find(text, short) {
      const spans: Span[] = [];
      for (let at = 0; at < text.length; at += 1) {
        if (!first.has(text.charCodeAt(at))) continue;
        const end = whole(text, endAt(text, at, short));
        if (end === at) continue;
        spans.push({ start: at, end });
        at = end - 1;
      }
      return spans;
    },
  };
}

// The forms in which a reason may quote a value: unchanged, on one line, inside a JSON text, in a URL.
function spellings(value: string): readonly string[] {
  return [
    value,
    value.replace(/\s+/g, " ").trim(),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
  ];
}

// Two characters can share their first half (a surrogate), and a cut between the halves leaves invalid text.
const whole = (text: string, end: number): number =>
  end > 0 && /[\ud800-\udbff]/.test(text[end - 1] ?? "") && /[\udc00-\udfff]/.test(text[end] ?? "")
    ? end + 1
    : end;

function common(text: string, start: number, value: string): number {
  let length = PREFIX;
  while (length < value.length && text.charCodeAt(start + length) === value.charCodeAt(length))
    length += 1;
  return length;
}

const standsAlone = (text: string, start: number, length: number): boolean =>
  !/\w/.test(text[start - 1] ?? "") && !/\w/.test(text[start + length] ?? "");
