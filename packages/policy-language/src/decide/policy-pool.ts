import { type Effect, type ToolCall, type Verdict } from "@bylaw/kernel";
import { stricter } from "../compile/strictness.ts";
import { CallFacts } from "../match/call-facts.ts";
import { CallEvaluation } from "./evaluation.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import type { Rule } from "../compile/rule.ts";
import { buildIndex, type RuleIndex } from "../compile/rule-index.ts";
import type { RunState } from "../match/run-state.ts";
import { rankRules, RuleMatcher } from "./rule-matcher.ts";
import { knownGlobs, knownTexts, type CommandGlob } from "../paths/call-paths.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { createPolicyScope } from "./unknown-votes.ts";
import {
  reportRules,
  type Evaluated,
  type PoolRule,
  type RuleReport,
} from "../explain/rule-reports.ts";
import { findDanger } from "../explain/find-danger.ts";
import { createNearestRule, unmatchedReason } from "../explain/nearest-rule.ts";
import { marksIn } from "../marks/mark-set.ts";
import { inRun } from "../marks/run-marks.ts";
import { RecordedMarks, type PoolMarks } from "../marks/recorded-marks.ts";
import { editsOnlyWorkspace } from "../paths/workspace-edits.ts";

/** The policy files of a kernel, compiled into one pool of rules that casts one vote. */
export interface PolicyPool {
  /** The strictest `default` of the files. Undefined if no file has one. */
  readonly fallback: Effect | undefined;
  readonly rules: readonly PoolRule[];
  /** Whether a rule has a condition (`when`). Then calls must be evaluated by {@link evaluateConditional}. */
  readonly conditional: boolean;
  /** The marks that the files define. Undefined if they define none. */
  readonly marks: PoolMarks | undefined;
  /** The projections that conditions ask about, each with one of the rules that ask. */
  readonly projections: ReadonlyMap<string, PoolRule>;
  /**
   * Returns the deciding vote and the votes of rules in shadow; undefined to abstain. Each file with `compat` adds its own vote.
   * Unless the host has prepared the real paths of the call, only the written paths count. Throws TypeError in a conditional pool.
   */
  evaluate(call: ToolCall, run?: RunState): readonly Verdict[] | undefined;
  /** Like {@link evaluate}, but asks every rule, without the index and without a limit. */
  evaluateByScan(call: ToolCall, run?: RunState): readonly Verdict[] | undefined;
  /**
   * Like {@link evaluate}, and evaluates the conditions of rules that match otherwise, over the call and the state of
   * its run. Works for any pool. Rejects if a condition cannot be evaluated.
   */
  evaluateConditional(call: ToolCall, run?: RunState): Promise<readonly Verdict[] | undefined>;
  /** Like {@link evaluateConditional}, but asks every rule, without the index and without a limit. */
  evaluateConditionalByScan(
    call: ToolCall,
    run?: RunState,
  ): Promise<readonly Verdict[] | undefined>;
  /**
   * Reports how every rule relates to a call. In a conditional pool, the reported conditions and votes come from the
   * last evaluation of this same `call` object.
   */
  explain(call: ToolCall, run?: RunState): readonly RuleReport[];
  /**
   * Explains why no rule decides a call: names the part that no rule covers, and the nearest rule. Undefined if
   * finding that would take too long.
   */
  unmatched(call: ToolCall): string | undefined;
  /** The paths that the host must resolve before it evaluates a call: files that a rule is about, and files that the call writes. */
  pathsToResolve(call: ToolCall): readonly string[];
  /** The globs in commands of the call that the host must expand as well, to find links among the results. */
  globsToResolve(call: ToolCall): readonly CommandGlob[];
  /** Whether no command that the rules leave open has an unknown or dangerous effect. Calls that run no line are harmless. */
  isHarmless(call: ToolCall): boolean;
  /** Whether a call only edits files inside the workspace, and none that govern the agent. */
  editsWorkspace(call: ToolCall): boolean;
}

/** The options for compiling a pool. */
export interface PoolOptions {
  readonly tools?: ToolTable;
  /** Absolute paths of the policies in force. {@link PolicyPool.editsWorkspace} is false for a call that edits one of them. */
  readonly protectedFiles?: readonly string[];
  /**
   * The name of the fact of a call that holds its resolved paths. `paths` is a list of lists: the written path, its
   * real path, and other names of the real path. A list with only the written path says that it cannot be resolved.
   * `globs` gives, for each pattern, the `places` that it reaches through a link, as such lists without the written
   * path; without `places`, the folders could not be searched. If the call lacks this fact, paths count as written.
   * Default: `@bylaw/plugin-policy`.
   */
  readonly pathsFact?: string;
  /** Computes a digest of the marks' definitions. Without it, recorded marks are ignored and calls are matched again. */
  readonly digest?: (definitions: string) => string;
}

const NOTHING: Evaluated = { held: new Map(), votes: [], run: undefined };

/** Compiles policy files into one pool. The order of files and rules never changes a decision. */
export function compilePolicy(files: readonly PolicyFile[], options: PoolOptions = {}): PolicyPool {
  const { tools = DEFAULT_TOOLS, protectedFiles = [], pathsFact, digest = () => "" } = options;
  let fallback: Effect | undefined;
  for (const file of files) {
    if (file.default !== undefined)
      fallback = fallback === undefined ? file.default : stricter(fallback, file.default);
  }
  const entries = rankRules(files.flatMap((file) => file.rules));
  const rules = entries.map(({ rule }) => rule);
  const set = marksIn(files, tools);
  const markRules = set?.marks.map(({ may }) => may) ?? [];
  const namedArguments = new Set(
    [...rules, ...markRules].flatMap(({ conditions, source }) =>
      source.shadow ? [] : conditions.flatMap(({ name }) => [name, name.split(".")[0] ?? name]),
    ),
  );
  const newFacts = (call: ToolCall): CallFacts =>
    new CallFacts(call, tools, { pathsFact, namedArguments });
  // Keep the facts of the last call: `unmatched` and `explain` usually ask about the same one.
  let last: CallFacts | undefined;
  const factsOf = (call: ToolCall): CallFacts =>
    last?.call === call ? last : (last = newFacts(call));
  const factsIn = (call: ToolCall, run: RunState | undefined): CallFacts =>
    inRun(factsOf(call), set, run);
  const marks =
    set === undefined
      ? undefined
      : new RecordedMarks({ set, factsOf, newFacts, digest: digest(set.definitions) });
  const alone = files.flatMap(({ file, alone: policy }) =>
    policy === undefined ? [] : [{ file, policy }],
  );
  const speaks = files.some((file) => file.compat === undefined);
  const allows = rules.filter(({ source }) => source.effect === "allow" && !source.shadow);
  const index = buildIndex(entries, tools);
  const covers = (facts: CallFacts, holds: (rule: Rule) => boolean): boolean => {
    const matcher = new RuleMatcher();
    index(facts, matcher);
    return (
      matcher.outcome() !== undefined ||
      matcher.open().some(({ rule, shadow }) => !shadow && holds(rule))
    );
  };
  let nearest: ReturnType<typeof createNearestRule> | undefined;
  const nearestRule: typeof nearest = (...given) =>
    (nearest ??= createNearestRule({ rules, covers }))(...given);
  const scope = createPolicyScope(rules, tools, markRules);

  // Approval modes need to know whether a call writes outside the workspace.
  const resolves = (facts: CallFacts): boolean =>
    scope.resolves(facts.identity) ||
    (speaks && facts.call.approval_mode === "yolo" && facts.line !== null);

  const conditional = rules.some(({ when }) => when !== undefined);
  const evaluated = new WeakMap<ToolCall, Evaluated>();

  const heldFor = (call: ToolCall): ((rule: Rule) => boolean) => {
    const held = evaluated.get(call)?.held;
    return (rule) => rule.when === undefined || held?.get(rule) === true;
  };
  const danger = (call: ToolCall): string | undefined =>
    findDanger(factsOf(call), allows, heldFor(call));

  const finish = (evaluation: CallEvaluation): readonly Verdict[] | undefined => {
    const votes = speaks ? evaluation.votes(scope, fallback) : undefined;
    return alone.length === 0
      ? votes
      : [...(votes ?? []), ...alone.map(({ policy }) => policy.vote(evaluation.whole.call))];
  };

  const scan: RuleIndex = (facts, matcher) => {
    for (const entry of entries) matcher.see(entry, facts);
  };
  const evaluate = (
    call: ToolCall,
    run: RunState | undefined,
    collect: RuleIndex,
    bounds: { readonly bounded: boolean },
  ): readonly Verdict[] | undefined => {
    if (conditional)
      throw new TypeError("This policy has rules with `when`: call evaluateConditional");
    return finish(new CallEvaluation(factsIn(call, run), collect, bounds));
  };

  const pool: PolicyPool = {
    fallback,
    rules: [
      ...rules.map(({ source: { name, final, file, line } }) => ({ name, final, file, line })),
      ...alone.flatMap(({ file, policy }) =>
        policy.rules.map(({ name, line }) => ({ name, final: false, file, line })),
      ),
    ],
    conditional,
    marks,
    projections: new Map(
      rules
        .toReversed()
        .flatMap(({ when, source: { name, final, file, line } }) =>
          [...(when?.projections ?? [])].map(
            (projection) => [projection, { name, final, file, line }] as const,
          ),
        ),
    ),
    evaluate: (call, run) => evaluate(call, run, index, { bounded: true }),
    evaluateByScan: (call, run) => evaluate(call, run, scan, { bounded: false }),
    async evaluateConditional(call, run) {
      // Use fresh facts: another run may ask about the same call while this one waits.
      const facts = inRun(newFacts(call), set, run);
      const evaluation = new CallEvaluation(facts, index, { bounded: true });
      const open = evaluation.open();
      const answers = await Promise.all(
        open.map(async ({ rule }) => (await rule.when?.holds(call, run)) === true),
      );
      const held = new Map(open.map(({ rule }, at) => [rule, answers[at] === true]));
      evaluation.settle(({ rule }) => held.get(rule) === true);
      const votes = finish(evaluation);
      if (conditional) evaluated.set(call, { held, votes: votes ?? [], run });
      return votes;
    },
    async evaluateConditionalByScan(call, run) {
      const { perCommand, embedded } = factsIn(call, run);
      const all = [...perCommand, ...embedded];
      const held = new Set<Rule>();
      for (const rule of rules) {
        if (!all.some((facts) => rule.matches(facts) || rule.mayMatch?.(facts) === true)) continue;
        if (rule.when === undefined || (await rule.when.holds(call, run))) held.add(rule);
      }
      return finish(
        new CallEvaluation(
          factsOf(call),
          (facts, matcher) => {
            for (const entry of entries) if (held.has(entry.rule)) matcher.seeHeld(entry, facts);
          },
          { bounded: false },
        ),
      );
    },
    explain(call, run) {
      const { perCommand } = factsOf(call);
      const found = conditional
        ? (evaluated.get(call) ?? NOTHING)
        : { ...NOTHING, votes: pool.evaluate(call, run) ?? [] };
      return reportRules({ rules, alone, call, parts: perCommand, found, nearestRule });
    },
    unmatched(call) {
      const near = nearestRule(factsOf(call).perCommand, heldFor(call));
      const asks = speaks && call.approval_mode === "yolo" ? danger(call) : undefined;
      if (near === undefined) return asks;
      return asks === undefined ? unmatchedReason(near) : `${unmatchedReason(near)}. ${asks}`;
    },
    pathsToResolve(call) {
      const facts = factsOf(call);
      const writes = tools.files.get(facts.identity.bare)?.write !== undefined;
      return writes || resolves(facts) ? knownTexts(facts) : [];
    },
    globsToResolve(call) {
      const facts = factsOf(call);
      return resolves(facts) ? knownGlobs(facts) : [];
    },
    isHarmless: (call) => !speaks || danger(call) === undefined,
    editsWorkspace: (call) => editsOnlyWorkspace(factsOf(call), protectedFiles),
  };
  return pool;
}

/** Returns the file without the rules of these names. Final rules stay. */
export function withoutRules(file: PolicyFile, dropped: ReadonlySet<string>): PolicyFile {
  if (dropped.size === 0) return file;
  const rules = file.rules.filter(({ source }) => source.final || !dropped.has(source.name));
  const { alone } = file;
  return { ...file, rules, ...(alone === undefined ? {} : { alone: alone.without(dropped) }) };
}
