import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";

/** More words than two commands usually share. */
const MOST_WORDS = 100;

/**
 * How near a rule comes to a call, or to a command of its line, of which `held` conditions hold before the first that fails. Those count
 * most, and then the first words that a pattern shares with the command.
 */
export const nearnessOf = ({ words = [], regex }: Rule, held: number, facts: CallFacts): number => {
  const texts = [...words.map(({ text }) => text), ...(regex?.prefixes ?? [])];
  const shared = texts.reduce((most, text) => Math.max(most, sharedWords(text, facts)), 0);
  return held * MOST_WORDS + Math.min(shared, MOST_WORDS - 1);
};

/** How many first words a pattern shares with a command. */
export function sharedWords(pattern: string, { part }: CallFacts): number {
  const words = part?.words ?? [];
  // Most patterns are about another program, and need not be split.
  if (!pattern.startsWith(words[0]?.text ?? " ")) return 0;
  const differs = pattern.split(" ").findIndex((word, at) => word !== words[at]?.text);
  return differs < 0 ? words.length : differs;
}
