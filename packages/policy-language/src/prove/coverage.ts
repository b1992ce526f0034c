import type { ToolCall } from "@bylaw/kernel";
import type { RuleReference } from "./expectation.ts";
import { INLINE_PARTS } from "../load/inline-cases.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import type { RuleSource } from "../compile/rule.ts";
import type { RunState } from "../match/run-state.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { alternativesOf, partsOf, type Alternative } from "./alternatives.ts";
import { holds, type InlineCase } from "./inline.ts";
import { marksIn } from "../marks/mark-set.ts";
import { matchSets } from "./match-sets.ts";
import { compileQuietly } from "./mutants.ts";

/** What the cases show about one rule. */
export interface RuleCoverage {
  readonly name: string;
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
  readonly shadow: boolean;
  /** The number of cases that the rule decided. */
  readonly decided: number;
  /** The number of cases that the rule matched, including inline cases. */
  readonly matched: number;
  /** Alternatives, such as one pattern of a list, that no case needed to match. */
  readonly never_held: readonly { readonly key: string; readonly item: string }[];
  /** Conditions that kept no case from matching: without them, the same cases match. */
  readonly never_failed: readonly string[];
}

/** What the cases of a policy cover. */
export interface Coverage {
  readonly rules: readonly RuleCoverage[];
  readonly alternatives: { readonly total: number; readonly held: number };
  readonly parts: { readonly total: number; readonly failed: number };
}

/** The input of {@link coverPolicy}. */
export interface CoverageInput {
  readonly files: readonly PolicyFile[];
  readonly tools?: ToolTable;
  /** The state of the run that conditions see. */
  readonly run?: RunState;
  readonly inline: readonly InlineCase[];
  /** The decided calls of the cases, each with the rule that decided it and the state of its run. */
  readonly cases: readonly {
    readonly call: ToolCall;
    readonly rule: RuleReference | undefined;
    readonly run?: RunState;
  }[];
}

/**
 * Computes which rules, alternatives and conditions the cases cover. Rules of files with `compat` have only
 * `decided`.
 */
export async function coverPolicy({
  files,
  tools = DEFAULT_TOOLS,
  run,
  inline,
  cases,
}: CoverageInput): Promise<Coverage> {
  const marks = marksIn(files, tools);
  const calls = cases.map(({ call, run: own = run }) => ({ call, run: own }));
  const rules = files.flatMap((file) => file.rules);
  const own = await matchSets(rules, calls, { tools, marks });
  const asked = rules.map(({ source }) => ({
    alternatives: alternativesOf(source),
    parts: partsOf(source),
  }));
  const variants = asked.flatMap(({ alternatives, parts }) => [
    ...alternatives.flatMap(({ only, without }) => [compileQuietly(only), compileQuietly(without)]),
    ...parts.map(({ without }) => compileQuietly(without)),
  ]);
  const sets = (await matchSets(variants, calls, { tools, marks })).values();
  const next = (): ReadonlySet<number> => sets.next().value ?? new Set();
  const covered = rules.map(({ source }, index): RuleCoverage => {
    const { name, file, line, shadow } = source;
    const matched = own[index] ?? new Set<number>();
    const lines = inline.filter((one) => one.rule === name && one.file === file);
    const matching = lines.filter(({ kind }) => kind === "match");
    const never_held: { key: string; item: string }[] = [];
    for (const { key, item, only } of asked[index]?.alternatives ?? []) {
      const [alone, rest] = [next(), next()];
      const held = alone.size > 0 || rest.size < matched.size || isUsed(key, matching, only, tools);
      if (!held) never_held.push({ key, item });
    }
    const never_failed: string[] = [];
    for (const { key, without } of asked[index]?.parts ?? []) {
      if (next().size <= matched.size && !refuses(key, lines, without, tools))
        never_failed.push(key);
    }
    return {
      ...{ name, file, line, shadow },
      decided: cases.filter(
        ({ rule }) => rule?.name === name && rule.file === file && rule.line === line,
      ).length,
      matched: matched.size + matching.length,
      never_held,
      never_failed,
    };
  });
  const total = (list: "alternatives" | "parts"): number =>
    asked.reduce((sum, each) => sum + each[list].length, 0);
  const missing = (list: "never_held" | "never_failed"): number =>
    covered.reduce((sum, each) => sum + each[list].length, 0);
  return {
    rules: covered,
    alternatives: {
      total: total("alternatives"),
      held: total("alternatives") - missing("never_held"),
    },
    parts: { total: total("parts"), failed: total("parts") - missing("never_failed") },
  };
}

// Finds an inline case that matches only because of this alternative.
function isUsed(
  key: Alternative["key"],
  matching: readonly InlineCase[],
  only: RuleSource,
  tools: ToolTable,
): boolean {
  const rule = INLINE_PARTS.has(key) ? compileQuietly(only) : undefined;
  return rule !== undefined && matching.some((one) => holds(rule, one, tools));
}

// Finds an inline `not_match` case that only this condition keeps from matching.
function refuses(
  key: string,
  lines: readonly InlineCase[],
  without: RuleSource,
  tools: ToolTable,
): boolean {
  const rule = INLINE_PARTS.has(key) ? compileQuietly(without) : undefined;
  return (
    rule !== undefined && lines.some((one) => one.kind === "not_match" && !holds(rule, one, tools))
  );
}
