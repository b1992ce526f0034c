import { didYouMean, quote } from "@bylaw/wording";
import { Option } from "commander";
import { usageError } from "../io/report-error.ts";
import type { OptionSpec, OptionSettings } from "./command.ts";

/** Creates an option for the full parser. */
export function optionOf([flags, description, settings = {}]: OptionSpec): Option {
  const option = new Option(flags, description).default(settings.default);
  if (settings.words !== undefined) option.choices(settings.words);
  if (flags.endsWith(">")) option.argParser(readerOf(flags.replace(/^-\w, /, ""), settings));
  return option.makeOptionMandatory(settings.required === true);
}

/** Returns a function that reads the value of an option or argument. It throws BYLAW_USAGE_INVALID. */
export function readerOf(
  flags: string,
  settings: OptionSettings,
): (text: string, previous?: unknown) => unknown {
  const [flag = ""] = flags.split(" ");
  if (settings.many === true || flags.endsWith("...>"))
    return (text, previous) => [
      ...((previous ?? []) as readonly string[]),
      valueOf(text, flags, settings),
    ];
  // `previous` cannot say whether a value was given, because it may be the default.
  let given = false;
  return (text) => {
    const value = valueOf(text, flags, settings);
    // Refused, because one of the two values would be ignored silently.
    if (given) throw usageError(`${quote(flag)} can be given only once`, "Remove one");
    given = true;
    return value;
  };
}

const PATH = /<(?:file|dir|folder|path)(?:\.\.\.)?>$/;

function valueOf(
  text: string,
  flags: string,
  { path = PATH.test(flags), words, least }: OptionSettings,
): string | number {
  const [flag = ""] = flags.split(" ");
  if (words !== undefined) return wordOf(text, flag, words);
  if (least !== undefined) return numberOf(text, flag, least);
  if (path && /^(?:file:|[a-z][a-z0-9+.-]+:\/\/)/i.test(text))
    throw usageError(
      `${quote(flag)} takes a path, not the URL ${quote(text)}`,
      "Give the path of the file",
    );
  // An option without its value would take the next option as its value, and ask about a tool named `--json`.
  if (text.startsWith("--"))
    throw usageError(`${quote(flag)} needs a value before ${quote(text)}`, `Write ${quote(flags)}`);
  return text;
}

function numberOf(text: string, flag: string, least: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (number >= least) return number;
  throw usageError(`${quote(flag)} must be a whole number from ${least} on, not ${quote(text)}`);
}

function wordOf(text: string, flag: string, words: readonly string[]): string {
  if (words.includes(text)) return text;
  throw usageError(
    `${quote(flag)} must be ${oneOf(words)}, not ${quote(text)}`,
    didYouMean(text, words),
  );
}

// Gives "a", "a or b", "a, b or c".
const oneOf = (words: readonly string[]): string =>
  words.join(", ").replace(/, ([^,]*)$/, " or $1");
