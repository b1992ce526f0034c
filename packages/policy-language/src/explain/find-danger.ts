import { EFFECT_NAMES } from "@bylaw/shell";
import { dangerOf } from "../compile/effect-parts.ts";
import type { Rule } from "../compile/rule.ts";
import { quote } from "../load/finding.ts";
import type { CallFacts } from "../match/call-facts.ts";

/**
 * Describes the first command of a line, or in the arguments of another tool, that no rule allows and that has an unknown or dangerous
 * effect. An approval mode must not allow such a call. Undefined if there is none.
 */
export function findDanger(
  { lines }: CallFacts,
  allows: readonly Rule[],
  holds: (rule: Rule) => boolean,
): string | undefined {
  for (const { unknown, commands } of lines) {
    if (unknown !== undefined) return `Cannot tell what this line would do: ${unknown}`;
    for (const facts of commands) {
      const name = dangerOf(facts);
      if (name === undefined || allows.some((rule) => rule.matches(facts) && holds(rule))) continue;
      return `${quote(facts.part?.text ?? "")} ${EFFECT_NAMES[name]}`;
    }
  }
  return undefined;
}
