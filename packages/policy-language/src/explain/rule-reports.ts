import {
  omitUndefined,
  type Effect,
  type JsonObject,
  type ToolCall,
  type Verdict,
} from "@bylaw/kernel";
import type { CompatPolicy } from "../compat/compat-policy.ts";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import type { RunState } from "../match/run-state.ts";
import { describeMiss } from "./missed-part.ts";
import { nearnessOf } from "./nearness.ts";
import type { createNearestRule } from "./nearest-rule.ts";
import type { RelatedRules } from "./related-rules.ts";

/** One rule of a pool, for tools. */
export interface PoolRule {
  readonly name: string;
  readonly final: boolean;
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** How one rule relates to one call. */
export interface RuleReport extends PoolRule {
  readonly effect: Effect;
  readonly tier?: string;
  readonly shadow: boolean;
  readonly matched: boolean;
  /** The key of the first condition that fails. */
  readonly failed?: string;
  /** The value that this condition requires. */
  readonly expected?: string;
  /** The value that the call has for it. */
  readonly actual?: string;
  /** Whether the rule is about other tools, so that no arguments can make it match. */
  readonly elsewhere?: true;
  /** Whether the command pattern of the rule is about other programs. */
  readonly other_programs?: true;
  /** Whether the rule denies the tool for this caller whatever the arguments are. */
  readonly any_arguments?: true;
  /** The command of the line that matched or came closest. */
  readonly command?: string;
  /** Whether the failing condition may hold for a command that is not fully known. */
  readonly may_match?: true;
  /**
   * Set if everything else matches but the condition `when` was not evaluated: it could not change the outcome, or
   * the call itself was not evaluated.
   */
  readonly depends_on?: "when";
  /** The values that the condition read from projections, by name and path. */
  readonly states?: JsonObject;
  /** Whether a vote comes from this rule. */
  readonly deciding: boolean;
  /** How near the rule comes to matching. A higher number is nearer. */
  readonly nearness?: number;
  /** Whether this is the nearest rule. Only set if no rule decides. */
  readonly nearest?: true;
}

/** The results of the conditions that an evaluation needed. */
export interface Evaluated {
  readonly held: ReadonlyMap<Rule, boolean>;
  readonly votes: readonly Verdict[];
  readonly run: RunState | undefined;
}

interface Asked {
  readonly rules: readonly Rule[];
  /** Files with `compat`, which are evaluated on their own. */
  readonly compat: readonly { readonly file: string; readonly policy: CompatPolicy }[];
  readonly call: ToolCall;
  /** The facts of each command of a line, or of the call alone. */
  readonly parts: readonly CallFacts[];
  readonly found: Evaluated;
  readonly nearestRule: ReturnType<typeof createNearestRule>;
  /** Finds the rules about a program. */
  readonly related: RelatedRules;
}

type Deciding = (name: string, file: string, line: number) => boolean;

/** Reports how every rule relates to a call. */
export function reportRules({
  rules,
  compat,
  call,
  parts,
  found,
  nearestRule,
  related,
}: Asked): readonly RuleReport[] {
  const { votes, held } = found;
  const deciding: Deciding = (name, file, line) =>
    votes.some(({ rule }) => rule?.name === name && rule.file === file && rule.line === line);
  const isUndecided = votes.every(({ shadow }) => shadow === true);
  const programs = new Set(
    parts.flatMap(({ part }) => part?.programs ?? []).map(({ name }) => name),
  );
  const named = new Set([...programs].flatMap((name) => related.aboutProgram(name)));
  const nearest = isUndecided
    ? nearestRule(parts, (rule) => rule.when === undefined || held.get(rule) === true)
    : undefined;
  return [
    ...rules.map((rule) => {
      const report = reportOf(rule, { parts, named, deciding }, found);
      return nearest?.rule === rule ? { ...report, nearest: true as const } : report;
    }),
    ...compat.flatMap((one) => reportsOfCompat(one, call, deciding)),
  ];
}

interface Reported {
  readonly parts: readonly CallFacts[];
  /** The rules about a program of the line. */
  readonly named: ReadonlySet<Rule>;
  readonly deciding: Deciding;
}

function reportOf(
  rule: Rule,
  { parts, named, deciding }: Reported,
  { held, run }: Evaluated,
): RuleReport {
  const { name, final, file, line, effect, tier, shadow } = rule.source;
  const { failedPart, best, may, held: reached } = closest(rule, parts);
  const command = best?.part?.text;
  const condition = rule.when === undefined ? true : held.get(rule);
  const failed = failedPart ?? (condition === false ? "when" : undefined);
  const states =
    run !== undefined && held.has(rule) && rule.when?.projections.size !== 0
      ? rule.when?.states(run)
      : undefined;
  const missed = failed === undefined ? undefined : describeMiss(rule, failed, parts);
  const anyArguments = failed === undefined && effect === "deny" && takesAnyArguments(rule);
  const ofOthers = (failed === "command" || failed === "command_regex") && !named.has(rule);
  return {
    ...{ name, final, file, line, effect, tier, shadow },
    matched: failed === undefined && condition === true,
    deciding: deciding(name, file, line),
    ...omitUndefined({
      any_arguments: anyArguments || undefined,
      command,
      failed,
      expected: missed?.expected,
      actual: missed?.actual,
      elsewhere: missed?.elsewhere,
      other_programs: ofOthers || undefined,
      may_match: (failed !== undefined && may) || undefined,
      depends_on: failed === undefined && condition === undefined ? ("when" as const) : undefined,
      states,
      nearness:
        failed === undefined || best === undefined ? undefined : nearnessOf(rule, reached, best),
    }),
  };
}

/** The conditions of a rule that are not about arguments. */
const CALLER_PARTS: ReadonlySet<string> = new Set([
  ...["tool", "server", "interactive", "modes", "agent", "phase"],
]);

const takesAnyArguments = ({ parts, when }: Rule): boolean =>
  when === undefined && parts.every(({ key }) => CALLER_PARTS.has(key));

// The first condition that fails, for the command of the line that satisfies the most conditions.
function closest(
  rule: Rule,
  parts: readonly CallFacts[],
): {
  readonly failedPart: string | undefined;
  readonly best: CallFacts | undefined;
  readonly may: boolean;
  readonly held: number;
} {
  let best: CallFacts | undefined;
  let reached = -1;
  let may = false;
  for (const facts of parts) {
    const failing = rule.parts.findIndex((part) => !part.holds(facts));
    const height = failing < 0 ? rule.parts.length : failing;
    const doubted = failing >= 0 && facts.doubtful && rule.mayMatch?.(facts) === true;
    if (height > reached || (doubted && !may && reached < rule.parts.length)) {
      best = facts;
      reached = height;
      may = doubted;
    }
    if (failing < 0) break;
  }
  return { failedPart: rule.parts[reached]?.key, best, may, held: reached };
}

function reportsOfCompat(
  { file, policy }: { readonly file: string; readonly policy: CompatPolicy },
  call: ToolCall,
  deciding: Deciding,
): readonly RuleReport[] {
  return policy.rules.map(({ name, line, effect }) => ({
    name,
    final: false,
    file,
    line,
    effect,
    shadow: false,
    matched: policy.matches(call, line),
    deciding: deciding(name, file, line),
  }));
}
