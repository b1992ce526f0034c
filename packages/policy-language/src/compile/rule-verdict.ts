import {
  freezeJson,
  omitUndefined,
  type Effect,
  type JsonObject,
  type Verdict,
} from "@bylaw/kernel";
import { quote } from "../load/finding.ts";

/** The parts of a rule that appear in its verdict. */
interface Words {
  readonly effect: Effect;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Default: a sentence with the name of the rule. */
  readonly reason?: string | undefined;
  readonly fix?: string | undefined;
  readonly instead?: JsonObject | undefined;
  readonly shadow?: boolean;
}

const CODES = { allow: "rule_allowed", ask_user: "rule_asked", deny: "rule_denied" } as const;

const DOES = {
  allow: "allows this",
  ask_user: "leaves this to a person",
  deny: "denies this",
} as const;

/** Builds the verdict of a rule. */
export function ruleVerdict({
  effect,
  name,
  file,
  line,
  reason,
  fix,
  instead,
  shadow = false,
}: Words): Verdict {
  const verdict: Verdict = {
    effect,
    code: CODES[effect],
    reason: reason ?? `The rule ${quote(name)} ${DOES[effect]}.`,
    ...omitUndefined({ fix, instead }),
    rule: { name, file, line },
    ...(shadow ? { shadow } : {}),
  };
  // Frozen with the kernel's own function, so that the kernel checks the verdict only once.
  return freezeJson(verdict) as unknown as Verdict;
}
