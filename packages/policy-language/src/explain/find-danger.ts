import { EFFECT_NAMES } from "@bylaw/shell";
import { dangerOf } from "../compile/effect-parts.ts";
import type { Rule } from "../compile/rule.ts";
import { quote } from "../load/finding.ts";
import type { CallFacts } from "../match/call-facts.ts";

/**
 * Describes the first command of a line that no rule allows and that has an unknown or dangerous effect. An approval
 * mode must not allow such a line. Undefined if there is none.
 */
export function findDanger(
  { line, commands }: CallFacts,
  allows: readonly Rule[],
  holds: (rule: Rule) => boolean,
): string | undefined {
  if (line?.unknown !== undefined) return `Cannot tell what this line would do: ${line.unknown}`;
  for (const facts of commands) {
    const name = dangerOf(facts);
    if (name === undefined || allows.some((rule) => rule.matches(facts) && holds(rule))) continue;
    return `${quote(facts.part?.text ?? "")} ${EFFECT_NAMES[name]}`;
  }
  return undefined;
}
