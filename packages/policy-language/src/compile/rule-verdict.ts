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
  const generated = {
    allow: `The rule ${quote(name)} allows this.`,
    ask_user: `The rule ${quote(name)} leaves this to a person.`,
    deny: `The rule ${quote(name)} denies this.`,
  };
  const verdict: Verdict = {
    effect,
    code: CODES[effect],
    reason: reason ?? generated[effect],
    ...(fix === undefined ? {} : { fix }),
    rule: { name, file, line },
    ...(shadow ? { shadow } : {}),
  };
  // In the way that the kernel knows, so that it looks at it once.
  return freezeJson(verdict) as unknown as Verdict;
}
