import type { Verdict } from "@bylaw/kernel";
import type { EffectName } from "@bylaw/shell";
import { pastAnswer, pastParts } from "../marks/after.ts";
import type { Condition } from "../match/arguments.ts";
import type { CallFacts } from "../match/call-facts.ts";
import type { ProgramKey, WordPattern } from "../match/command-words.ts";
import type { Glob } from "../match/glob.ts";
import type { ToolPattern } from "../match/mcp.ts";
import type { Regex } from "../match/regex.ts";
import type { GlobSet } from "../paths/glob-set.ts";
import { compileWhen, type When } from "./compile-when.ts";
import { partsOf, type Part } from "./conditions.ts";
import { compilePatterns, type CheckedRule, type RuleComplaint } from "./rule-patterns.ts";
import { ruleVerdict } from "./rule-verdict.ts";
import type { RuleSource } from "./written-rule.ts";

export { type RuleComplaint } from "./rule-patterns.ts";
export { TIERS, type RuleSource, type Tier } from "./written-rule.ts";

/** A compiled rule. */
export interface Rule {
  readonly source: RuleSource;
  /** The verdict of the rule, created once. */
  readonly answer: readonly Verdict[];
  /** The verdict of the rule for a call. If the rule depends on the run, the reason says which event counts. */
  answerTo(facts: CallFacts): readonly Verdict[];
  /** The alternatives of `tool`. Undefined: any tool. */
  readonly tools: readonly ToolPattern[] | undefined;
  readonly servers: readonly Glob[] | undefined;
  /** The programs and first words that the patterns of `command` are about. */
  readonly programs: readonly ProgramKey[] | undefined;
  /** The patterns of `command`. */
  readonly words: readonly WordPattern[] | undefined;
  readonly regex: Regex | undefined;
  /** Names of effects that a command may have. */
  readonly effects: ReadonlySet<EffectName> | undefined;
  readonly readPaths: GlobSet | undefined;
  readonly writePaths: GlobSet | undefined;
  readonly conditions: readonly Condition[];
  readonly agents: readonly Glob[] | undefined;
  readonly phases: readonly Glob[] | undefined;
  /** The conditions of the rule, cheapest first. */
  readonly parts: readonly Part[];
  /** Whether all `parts` hold. */
  matches(facts: CallFacts): boolean;
  /** Whether all `parts` may hold for a command that is not fully known. Undefined for an allow and for rules that never need this. */
  readonly mayMatch: ((facts: CallFacts) => boolean) | undefined;
  /** The condition that must hold in addition to `parts`. */
  readonly when: When | undefined;
}

/** Compiles one rule and reports every wrong pattern. Returns undefined if a pattern is wrong. */
export function compileRule(
  source: RuleSource,
  report: RuleComplaint,
  checked?: CheckedRule,
): Rule | undefined {
  const patterns = compilePatterns(source, report, checked);
  if (patterns === undefined) return undefined;
  const { tool, words, servers, programs, regex, effects, conditions, agents, phases } = patterns;
  const { readPaths, writePaths } = patterns;
  const past = pastParts(source);
  const parts: readonly Part[] = [...past, ...partsOf(source, patterns)];
  let answer: readonly Verdict[] | undefined;
  const answerOnce = (): readonly Verdict[] => (answer ??= [ruleVerdict(source)]);
  return {
    source,
    get answer() {
      return answerOnce();
    },
    answerTo: past.length === 0 ? answerOnce : pastAnswer(source),
    tools: tool?.every(({ glob }) => !glob.any) === true ? tool : undefined,
    servers,
    programs,
    get words() {
      return source.command === undefined ? undefined : words();
    },
    regex,
    effects,
    readPaths,
    writePaths,
    conditions,
    agents,
    phases,
    parts,
    matches: allHold(parts),
    mayMatch: parts.some(({ mayHold }) => mayHold !== undefined)
      ? (facts) => parts.every((one) => one.holds(facts) || one.mayHold?.(facts) === true)
      : undefined,
    when:
      source.when === undefined
        ? undefined
        : compileWhen(source.when, { allow: source.effect === "allow" }),
  };
}

function allHold(parts: readonly Part[]): Rule["matches"] {
  const [only, ...more] = parts;
  if (only === undefined) return () => true;
  if (more.length === 0) return (facts) => only.holds(facts);
  return (facts) => {
    for (const one of parts) if (!one.holds(facts)) return false;
    return true;
  };
}
