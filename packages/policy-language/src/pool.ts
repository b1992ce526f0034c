import { stricter, type Effect, type ToolCall, type Verdict } from "@bylaw/kernel";
import { CallFacts } from "./facts.ts";
import type { PolicyFile } from "./parse.ts";
import type { RadiumPolicy } from "./radium.ts";
import type { Rule } from "./rule.ts";
import { buildIndex } from "./rule-index.ts";
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
  /** It is the rule of a vote. */
  readonly deciding: boolean;
}

/** All policy files of a kernel: one pool of rules, one vote. */
export interface PolicyPool {
  /** The strictest `default` of the files. */
  readonly fallback: Effect | undefined;
  readonly rules: readonly PoolRule[];
  /**
   * The one counting vote and the votes of rules in shadow; undefined to abstain. Each file with `compat = "radium"` adds a vote of
   * its own. Without prepared real paths only the paths as written count.
   */
  evaluate(call: ToolCall): readonly Verdict[] | undefined;
  /** The same by asking every rule, without the index. */
  evaluateByScan(call: ToolCall): readonly Verdict[] | undefined;
  explain(call: ToolCall): readonly RuleReport[];
  /** The paths of a call that a host resolves before it asks: of files that a rule is about, and of what the call writes. */
  pathsToResolve(call: ToolCall): readonly string[];
  /** Whether a call only edits files inside the workspace, none of them one that governs the agent. */
  editsWorkspace(call: ToolCall): boolean;
}

/** What a pool is compiled with. */
export interface PoolOptions {
  readonly tools?: ToolTable;
  /** Names of rules that a configuration dropped; a final rule stays. */
  readonly dropped?: ReadonlySet<string>;
}

/** Compiles files into one pool. Neither the order of files nor of rules changes what it decides. */
export function compilePolicy(files: readonly PolicyFile[], { tools = DEFAULT_TOOLS, dropped }: PoolOptions = {}): PolicyPool {
  const kept = files.map((file) => (dropped === undefined || dropped.size === 0 ? file : withoutRules(file, dropped)));
  let fallback: Effect | undefined;
  for (const file of kept) {
    if (file.default !== undefined) fallback = fallback === undefined ? file.default : stricter(fallback, file.default);
  }
  const entries = rankRules(kept.flatMap((file) => file.rules));
  const rules = entries.map(({ rule }) => rule);
  const radium = kept.flatMap((file) => (file.radium === undefined ? [] : [{ file: file.file, policy: file.radium }]));
  const speaks = kept.some((file) => file.compat === undefined);
  const index = buildIndex(entries, tools);
  const concerns = createConcerns(rules, tools);

  const finish = (facts: CallFacts, tally: Tally): readonly Verdict[] | undefined => {
    const decided = tally.outcome();
    const doubt = speaks ? unknownOf(facts, concerns, decided?.source.effect, fallback) : undefined;
    let votes: readonly Verdict[] | undefined = doubt === undefined ? decided?.answer : [doubt];
    const shadows = tally.shadows();
    if (shadows !== undefined) votes = [...(votes ?? []), ...shadows];
    if (radium.length > 0) votes = [...(votes ?? []), ...radium.map(({ policy }) => policy.vote(facts.call))];
    return votes;
  };

  const pool: PolicyPool = {
    fallback,
    rules: [
      ...rules.map(({ source: { name, final, file, line } }) => ({ name, final, file, line })),
      ...radium.flatMap(({ file, policy }) => policy.rules.map(({ name, line }) => ({ name, final: false, file, line }))),
    ],
    evaluate(call) {
      const facts = new CallFacts(call, tools);
      const tally = new Tally();
      index(facts, tally);
      return finish(facts, tally);
    },
    evaluateByScan(call) {
      const facts = new CallFacts(call, tools);
      const tally = new Tally();
      for (const entry of entries) tally.see(entry, facts);
      return finish(facts, tally);
    },
    explain(call) {
      const facts = new CallFacts(call, tools);
      const votes = pool.evaluateByScan(call) ?? [];
      const deciding = (name: string, file: string, line: number): boolean =>
        votes.some(({ rule }) => rule?.name === name && rule.file === file && rule.line === line);
      return [...rules.map((rule) => reportOf(rule, facts, deciding)), ...radium.flatMap((one) => radiumReports(one, call, deciding))];
    },
    pathsToResolve(call) {
      const facts = new CallFacts(call, tools);
      const writes = tools.files.get(facts.identity.bare)?.write !== undefined;
      return writes || concerns.paths(facts.identity) ? knownTexts(facts) : [];
    },
    editsWorkspace: (call) => editsOnlyWorkspace(new CallFacts(call, tools)),
  };
  return pool;
}

function withoutRules(file: PolicyFile, dropped: ReadonlySet<string>): PolicyFile {
  const rules = file.rules.filter(({ source }) => source.final || !dropped.has(source.name));
  return { ...file, rules, ...(file.radium === undefined ? {} : { radium: file.radium.without(dropped) }) };
}

type Deciding = (name: string, file: string, line: number) => boolean;

function reportOf(rule: Rule, facts: CallFacts, deciding: Deciding): RuleReport {
  const { name, final, file, line, effect, tier, shadow } = rule.source;
  const failed = rule.parts.find((part) => !part.holds(facts));
  return {
    name,
    final,
    file,
    line,
    effect,
    tier,
    shadow,
    matched: failed === undefined,
    ...(failed === undefined ? {} : { failed: failed.key }),
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
