import { SHELL } from "../compat/gemini/gemini-tool.ts";
import { DEFAULT_TOOLS } from "../compile/tool-table.ts";
import type { Candidate } from "./draft.ts";

/** Every tool that Bylaw knows to run a shell line. */
export const SHELL_TOOLS = [...new Set([SHELL, ...DEFAULT_TOOLS.shell.keys()])].join("|");

/** Every tool that Bylaw knows to open a URL. */
export const NETWORK_TOOLS = [...DEFAULT_TOOLS.network.keys()].join("|");

/** Text in which a glob means only itself. */
export const literal = (text: string): string => text.replaceAll(/[\\*?[\]{}|!]/g, "\\$&");

/** A word in which nothing but `*` is a wildcard, as the source has it. */
export const starred = (text: string): string => text.replaceAll(/[\\?[\]{}|!]/g, "\\$&");

/** A regular expression that matches a text with `*` for anything. */
export const starRegex = (text: string): string =>
  text
    .split("*")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");

const SYNTAX = /["'`$;&|<>()#{}\\\s]/;

/** The words before the first that a word pattern cannot hold, and whether they are all. */
export function plainWords(text: string): {
  readonly words: readonly string[];
  readonly all: boolean;
} {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const bad = words.findIndex((word) => SYNTAX.test(word));
  return bad < 0 ? { words, all: true } : { words: words.slice(0, bad), all: false };
}

/** The candidates of a deny or an ask that must cover all commands that begin with the text. */
export function coveringPrefix(text: string): readonly Candidate[] {
  const { words } = plainWords(text);
  const whole: Candidate = {
    keys: { tool: SHELL_TOOLS },
    note: "it cannot be written as a pattern, so it holds for every line of the shell",
  };
  if (words.length === 0) return [whole];
  const shown = `${words.map(literal).join(" ")} *`;
  return [
    {
      keys: { command: shown },
      note: `it holds for every command that begins with \`${words.join(" ")}\``,
    },
    whole,
  ];
}
