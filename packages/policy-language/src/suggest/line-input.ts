import { quote } from "@bylaw/wording";
import type { TomlTable } from "../import/toml.ts";
import type { CallFacts } from "../match/call-facts.ts";

/** Whether a command only reads and prints, whatever it gets to read. */
export const onlyReads = ({ part }: CallFacts): boolean =>
  part !== null &&
  part.named.possible.size === 0 &&
  [...part.named.names].every((name) => name === "reads");

/**
 * Limits what the commands of a rule may read from the line: nothing, unless they only read and print. A text from a pipe can decide
 * what a program does, or be sent somewhere, and no rule can spell it out. Returns the reason if there can be no rule.
 */
export function withInput(asks: TomlTable, open: readonly CallFacts[]): TomlTable | string {
  const given = open.find(({ part }) => part?.hasInput === true);
  const harmless = open.every(onlyReads);
  if (harmless && asks["paths"] !== undefined) return asks;
  if (given === undefined) return { ...asks, input: false };
  if (!harmless)
    return `${quote(given.part?.text ?? "")} gets something to read from the line, which decides what it does, and no rule can spell that out`;
  // Only what comes through a pipe, and no file.
  return { ...asks, paths: { read: ["/dev/null"] } };
}
