import type { Effect, Verdict } from "@bylaw/kernel";

/** The rule behind a verdict, with its position. */
export type RuleReference = NonNullable<Verdict["rule"]>;

/** What a case expects of a decision. */
export interface Expectation {
  /** The exact effect. */
  readonly must?: Effect;
  /** The effect that the decision must not have. */
  readonly must_not?: Effect;
  /** The name of the rule that must decide. */
  readonly rule?: string;
  readonly code?: string;
}

/** The parts of a decision that a case checks. */
export interface CaseOutcome {
  readonly effect: Effect;
  readonly code: string;
  readonly rule?: RuleReference;
}

/** Describes what is wrong with a decision. Undefined if it is as expected. */
export function expectationFault(
  { must, must_not, rule, code }: Expectation,
  outcome: CaseOutcome,
): string | undefined {
  const wrong: string[] = [];
  const differs = (what: string, actual: string, expected: string): void =>
    void wrong.push(`${what}\`${actual}\` instead of ${expected}`);
  if (must !== undefined && outcome.effect !== must) differs("", outcome.effect, `\`${must}\``);
  if (must_not !== undefined && outcome.effect === must_not)
    differs("", outcome.effect, "any other");
  if (rule !== undefined && outcome.rule?.name !== rule)
    differs("rule ", outcome.rule?.name ?? "none", `\`${rule}\``);
  if (code !== undefined && outcome.code !== code) differs("code ", outcome.code, `\`${code}\``);
  return wrong.length === 0 ? undefined : `Got ${wrong.join("; ")}`;
}
