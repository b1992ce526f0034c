import { SHELL } from "../compat/gemini/gemini-tool.ts";
import { DEFAULT_TOOLS } from "../compile/tool-table.ts";
import type { Candidate } from "./draft.ts";

/** Every tool that Bylaw knows as a shell. */
export const SHELL_TOOLS = [...new Set([SHELL, ...DEFAULT_TOOLS.shell.keys()])].join("|");

/** Every tool that Bylaw knows to open URLs. */
export const NETWORK_TOOLS = [...DEFAULT_TOOLS.network.keys()].join("|");

/** Escapes text so that a glob matches it literally. */
export const literal = (text: string): string => text.replaceAll(/[\\*?[\]{}|!]/g, "\\$&");

/** Escapes a word so that only `*` is a wildcard, as in the source. */
export const starred = (text: string): string => text.replaceAll(/[\\?[\]{}|!]/g, "\\$&");

/** Builds a regular expression that matches a text, with `*` for any characters. */
export const starRegex = (text: string): string =>
  text
    .split("*")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");

const SYNTAX = /["'`$;&|<>()#{}\\\s]/;

/** Splits text into the words that a word pattern can contain. Stops at the first other one; `all` is false then. */
export function plainWords(text: string): {
  readonly words: readonly string[];
  readonly all: boolean;
} {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const bad = words.findIndex((word) => SYNTAX.test(word));
  return bad < 0 ? { words, all: true } : { words: words.slice(0, bad), all: false };
}

/** The candidates of a deny or an ask that must cover every command that begins with the text. */
export function coveringPrefix(text: string): readonly Candidate[] {
  const { words } = plainWords(text);
  const whole: Candidate = {
    keys: { tool: SHELL_TOOLS },
    note: "it cannot be written as a pattern, so the rule holds for every shell line",
  };
  if (words.length === 0) return [whole];
  const shown = `${words.map(literal).join(" ")} *`;
  return [
    {
      keys: { command: shown },
      note: `the rule holds for every command that begins with \`${words.join(" ")}\``,
    },
    whole,
  ];
}
