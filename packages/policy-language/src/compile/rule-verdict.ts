import { freezeJson, type Effect, type Verdict } from "@bylaw/kernel";
import { quote } from "../load/finding.ts";

/** What a rule says of itself in its verdict. */
interface Words {
  readonly effect: Effect;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Left out: a sentence with the name of the rule. */
  readonly reason?: string | undefined;
  readonly fix?: string | undefined;
  readonly shadow?: boolean;
}

const CODES = { allow: "rule_allowed", ask_user: "rule_asked", deny: "rule_denied" } as const;

const DOES = {
  allow: "allows this",
  ask_user: "leaves this to a person",
  deny: "denies this",
} as const;

/** The one verdict of a rule. */
export function ruleVerdict({
  effect,
  name,
  file,
  line,
  reason,
  fix,
  shadow = false,
}: Words): Verdict {
  const verdict: Verdict = {
    effect,
    code: CODES[effect],
    reason: reason ?? `The rule ${quote(name)} ${DOES[effect]}.`,
    ...(fix === undefined ? {} : { fix }),
    rule: { name, file, line },
    ...(shadow ? { shadow } : {}),
  };
  // In the way that the kernel knows, so that it looks at it once.
  return freezeJson(verdict) as unknown as Verdict;
}
