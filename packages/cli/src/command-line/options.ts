import type { BylawError } from "@bylaw/kernel";
import { didYouMean, quote } from "@bylaw/wording";
import { Option } from "commander";
import { usageError } from "../io/report-error.ts";

/** What `--store` takes, for its help. */
export const STORE_TEXT = "sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…";

/** An option that takes one of a few words. */
export const choice = (flags: string, description: string, words: readonly string[]): Option =>
  new Option(flags, description).choices(words).argParser(wordOf(flags, words));

/** Reads the value of an option that takes one. */
export function valueOf(flags: string): (text: string, previous?: string) => string {
  const [flag = ""] = flags.split(" ");
  return (text, previous) => {
    // An option without its value would take the next option for it, and ask about a tool named `--json`.
    if (text.startsWith("--")) {
      throw usageError(
        `${quote(flag)} needs a value before ${quote(text)}`,
        `Write ${quote(flags)}`,
      );
    }
    // Of two values one would be dropped in silence.
    if (previous !== undefined) throw secondValue(flag);
    return text;
  };
}

/** Reads the values of an option that may be repeated. */
export function valuesOf(
  flags: string,
): (text: string, previous?: readonly string[]) => readonly string[] {
  const value = valueOf(flags);
  return (text, previous = []) => [...previous, value(text)];
}

/** Reads the value of an option that takes a whole number, from `least` on. */
export function numberOf(flags: string, least: number): (text: string) => number {
  const [flag = ""] = flags.split(" ");
  let given = false;
  return (text) => {
    if (given) throw secondValue(flag);
    given = true;
    const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    if (number >= least) return number;
    throw usageError(`${quote(flag)} must be a whole number from ${least} on, not ${quote(text)}`);
  };
}

/** Reads the value of an option that names a file. */
export function pathOf(flags: string): (text: string, previous?: string) => string {
  const value = valueOf(flags);
  const [flag = ""] = flags.split(" ");
  return (text, previous) => {
    if (/^(?:file:|[a-z][a-z0-9+.-]+:\/\/)/i.test(text)) {
      throw usageError(
        `${quote(flag)} takes a path, not the URL ${quote(text)}`,
        "Give the path of the file",
      );
    }
    return value(text, previous);
  };
}

/** Reads the values of an option that names files. */
export function pathsOf(
  flags: string,
): (text: string, previous?: readonly string[]) => readonly string[] {
  const path = pathOf(flags);
  return (text, previous = []) => [...previous, path(text)];
}

/** Reads the value of an option that takes one of a few words. */
export function wordOf(flags: string, words: readonly string[]): (text: string) => string {
  const [flag = ""] = flags.split(" ");
  let given = false;
  return (text) => {
    // Not told by the value before, which may be the default.
    if (given) throw secondValue(flag);
    given = true;
    if (words.includes(text)) return text;
    throw usageError(
      `${quote(flag)} must be ${oneOf(words)}, not ${quote(text)}`,
      didYouMean(text, words),
    );
  };
}

// "a", "a or b", "a, b or c".
const oneOf = (words: readonly string[]): string =>
  words.join(", ").replace(/, ([^,]*)$/, " or $1");

function secondValue(flag: string): BylawError {
  return usageError(`${quote(flag)} can be given only once`, "Remove one");
}
