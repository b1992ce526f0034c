import { stricter, type Effect, type ToolCall, type Verdict } from "@bylaw/kernel";
import { CallFacts } from "./facts.ts";
import type { PolicyFile } from "./parse.ts";
import type { RadiumPolicy } from "./radium.ts";
import type { Rule } from "./rule.ts";
import { buildIndex, type RuleIndex } from "./rule-index.ts";
import { Tally, rankRules } from "./tally.ts";
import { knownTexts } from "./paths.ts";
import { DEFAULT_TOOLS, type ToolTable } from "./tools.ts";
import { createConcerns, unknownOf } from "./unknown.ts";
import { editsOnlyWorkspace } from "./workspace-edits.ts";

/** One rule of a pool, for tools. */
export interface PoolRule {
  readonly name: string;
  readonly final: boolean;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** How one rule stands to one call. */
export interface RuleReport extends PoolRule {
  readonly effect: Effect;
  readonly tier?: string;
  readonly shadow: boolean;
  readonly matched: boolean;
  /** The key of the first part that does not hold. */
  readonly failed?: string;
  /** The other parts hold, and the condition was not asked: it could not change the outcome, or the call was not evaluated. */
  readonly depends_on?: "when";
  /** It is the rule of a vote. */
  readonly deciding: boolean;
}

/** All policy files of a kernel: one pool of rules, one vote. */
export interface PolicyPool {
  /** The strictest `default` of the files. */
  readonly fallback: Effect | undefined;
  readonly rules: readonly PoolRule[];
  /** A rule has a condition (`when`), so that calls must be evaluated by {@link evaluateConditional}. */
  readonly conditional: boolean;
  /**
   * The one counting vote and the votes of rules in shadow; undefined to abstain. Each file with `compat = "radium"` adds a vote of
   * its own. Without prepared real paths only the paths as written count. Throws TypeError in a conditional pool.
   */
  evaluate(call: ToolCall): readonly Verdict[] | undefined;
  /** The same by asking every rule, without the index. */
  evaluateByScan(call: ToolCall): readonly Verdict[] | undefined;
  /** The same with the conditions of the rules that match otherwise; rejects when one cannot be evaluated. For any pool. */
  evaluateConditional(call: ToolCall): Promise<readonly Verdict[] | undefined>;
  /** The same by asking every rule and every condition of a rule that matches otherwise. */
  evaluateConditionalByScan(call: ToolCall): Promise<readonly Verdict[] | undefined>;
  /** How every rule stands to a call. In a conditional pool it tells of conditions and votes what the last evaluation of this very object found. */
  explain(call: ToolCall): readonly RuleReport[];
  /** The paths of a call that a host resolves before it asks: of files that a rule is about, and of what the call writes. */
  pathsToResolve(call: ToolCall): readonly string[];
  /** Whether a call only edits files inside the workspace, none of them one that governs the agent. */
  editsWorkspace(call: ToolCall): boolean;
}

/** What a pool is compiled with. */
export interface PoolOptions {
  readonly tools?: ToolTable;
  /** Absolute files that {@link PolicyPool.editsWorkspace} never takes for an edit like any other: the policies in force. */
  readonly protectedFiles?: readonly string[];
}

/** Compiles files into one pool. Neither the order of files nor of rules changes what it decides. */
export function compilePolicy(files: readonly PolicyFile[], { tools = DEFAULT_TOOLS, protectedFiles = [] }: PoolOptions = {}): PolicyPool {
  let fallback: Effect | undefined;
  for (const file of files) {
    if (file.default !== undefined) fallback = fallback === undefined ? file.default : stricter(fallback, file.default);
  }
  const entries = rankRules(files.flatMap((file) => file.rules));
  const rules = entries.map(({ rule }) => rule);
  const radium = files.flatMap((file) => (file.radium === undefined ? [] : [{ file: file.file, policy: file.radium }]));
  const speaks = files.some((file) => file.compat === undefined);
  const index = buildIndex(entries, tools);
  const concerns = createConcerns(rules, tools);

  const conditional = rules.some(({ when }) => when !== undefined);
  const evaluated = new WeakMap<ToolCall, Evaluated>();

  const finish = (facts: CallFacts, tally: Tally): readonly Verdict[] | undefined => {
    const decided = tally.outcome();
    const doubt = speaks ? unknownOf(facts, concerns, decided?.source.effect, fallback) : undefined;
    let votes: readonly Verdict[] | undefined = doubt === undefined ? decided?.answer : [doubt];
    const shadows = tally.shadows();
    if (shadows !== undefined) votes = [...(votes ?? []), ...shadows];
    if (radium.length > 0) votes = [...(votes ?? []), ...radium.map(({ policy }) => policy.vote(facts.call))];
    return votes;
  };

  const scan: RuleIndex = (facts, tally) => {
    for (const entry of entries) tally.see(entry, facts);
  };
  const evaluate = (call: ToolCall, collect: RuleIndex): readonly Verdict[] | undefined => {
    if (conditional) throw new TypeError("Unexpected evaluation without the conditions of `when`, expected evaluateConditional");
    const facts = new CallFacts(call, tools);
    const tally = new Tally();
    collect(facts, tally);
    return finish(facts, tally);
  };

  const pool: PolicyPool = {
    fallback,
    rules: [
      ...rules.map(({ source: { name, final, file, line } }) => ({ name, final, file, line })),
      ...radium.flatMap(({ file, policy }) => policy.rules.map(({ name, line }) => ({ name, final: false, file, line }))),
    ],
    conditional,
    evaluate: (call) => evaluate(call, index),
    evaluateByScan: (call) => evaluate(call, scan),
    async evaluateConditional(call) {
      const facts = new CallFacts(call, tools);
      const tally = new Tally();
      index(facts, tally);
      const open = tally.open();
      const answers = await Promise.all(open.map(async ({ rule }) => (await rule.when?.holds(call)) === true));
      for (const [at, entry] of open.entries()) if (answers[at] === true) tally.take(entry);
      const votes = finish(facts, tally);
      if (conditional) evaluated.set(call, { held: new Map(open.map(({ rule }, at) => [rule, answers[at] === true])), votes: votes ?? [] });
      return votes;
    },
    async evaluateConditionalByScan(call) {
      const facts = new CallFacts(call, tools);
      const tally = new Tally();
      for (const entry of entries) {
        const { rule } = entry;
        if (rule.matches(facts) && (rule.when === undefined || (await rule.when.holds(call)))) tally.take(entry);
      }
      return finish(facts, tally);
    },
    explain(call) {
      const facts = new CallFacts(call, tools);
      const { held, votes } = conditional ? (evaluated.get(call) ?? NOTHING) : { ...NOTHING, votes: pool.evaluateByScan(call) ?? [] };
      const deciding = (name: string, file: string, line: number): boolean =>
        votes.some(({ rule }) => rule?.name === name && rule.file === file && rule.line === line);
      return [
        ...rules.map((rule) => reportOf(rule, facts, held, deciding)),
        ...radium.flatMap((one) => radiumReports(one, call, deciding)),
      ];
    },
    pathsToResolve(call) {
      const facts = new CallFacts(call, tools);
      const writes = tools.files.get(facts.identity.bare)?.write !== undefined;
      return writes || concerns.paths(facts.identity) ? knownTexts(facts) : [];
    },
    editsWorkspace: (call) => editsOnlyWorkspace(new CallFacts(call, tools), protectedFiles),
  };
  return pool;
}

/** What an evaluation found of the conditions that it asked. */
interface Evaluated {
  readonly held: ReadonlyMap<Rule, boolean>;
  readonly votes: readonly Verdict[];
}

const NOTHING: Evaluated = { held: new Map(), votes: [] };

/** A file without the rules of these names. Final rules stay. */
export function withoutRules(file: PolicyFile, dropped: ReadonlySet<string>): PolicyFile {
  if (dropped.size === 0) return file;
  const rules = file.rules.filter(({ source }) => source.final || !dropped.has(source.name));
  return { ...file, rules, ...(file.radium === undefined ? {} : { radium: file.radium.without(dropped) }) };
}

type Deciding = (name: string, file: string, line: number) => boolean;

function reportOf(rule: Rule, facts: CallFacts, held: Evaluated["held"], deciding: Deciding): RuleReport {
  const { name, final, file, line, effect, tier, shadow } = rule.source;
  const failedPart = rule.parts.find((part) => !part.holds(facts))?.key;
  const condition = rule.when === undefined ? true : held.get(rule);
  const failed = failedPart ?? (condition === false ? "when" : undefined);
  return {
    name,
    final,
    file,
    line,
    effect,
    tier,
    shadow,
    matched: failed === undefined && condition === true,
    ...(failed === undefined ? {} : { failed }),
    ...(failed === undefined && condition === undefined ? { depends_on: "when" as const } : {}),
    deciding: deciding(name, file, line),
  };
}

function radiumReports(
  { file, policy }: { readonly file: string; readonly policy: RadiumPolicy },
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
