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
import { inRun } from "../marks/past.ts";
import { RecordedMarks, type PoolMarks } from "../marks/recorded-marks.ts";
import { editsOnlyWorkspace } from "../paths/workspace-edits.ts";

/** All policy files of a kernel: one pool of rules, one vote. */
export interface PolicyPool {
  /** The strictest `default` of the files. */
  readonly fallback: Effect | undefined;
  readonly rules: readonly PoolRule[];
  /** A rule has a condition (`when`), so that calls must be evaluated by {@link evaluateConditional}. */
  readonly conditional: boolean;
  /** The marks of the files; undefined where they have none. */
  readonly marks: PoolMarks | undefined;
  /** The projections that conditions ask about, each with a rule that does. */
  readonly projections: ReadonlyMap<string, PoolRule>;
  /**
   * The one counting vote and the votes of rules in shadow; undefined to abstain. Each file with `compat` adds a vote of
   * its own. Without prepared real paths only the paths as written count. Throws TypeError in a conditional pool.
   */
  evaluate(call: ToolCall, run?: RunState): readonly Verdict[] | undefined;
  /** The same by asking every rule, without the index, however many there are to ask. */
  evaluateByScan(call: ToolCall, run?: RunState): readonly Verdict[] | undefined;
  /**
   * The same with the conditions of the rules that match otherwise, over the call and the state of its run; rejects when one
   * cannot be evaluated. For any pool.
   */
  evaluateConditional(call: ToolCall, run?: RunState): Promise<readonly Verdict[] | undefined>;
  /** The same by asking every rule and every condition of a rule that matches otherwise. */
  evaluateConditionalByScan(
    call: ToolCall,
    run?: RunState,
  ): Promise<readonly Verdict[] | undefined>;
  /** How every rule stands to a call. In a conditional pool it tells of conditions and votes what the last evaluation of this very object found. */
  explain(call: ToolCall, run?: RunState): readonly RuleReport[];
  /** Why no rule decides a call: what none covers, and the rule that came nearest. Undefined where that would take long to find. */
  unmatched(call: ToolCall): string | undefined;
  /** The paths of a call that a host resolves before it asks: of files that a rule is about, and of what the call writes. */
  pathsToResolve(call: ToolCall): readonly string[];
  /** The globs of its commands that a host looks up besides, for links among what they find. */
  globsToResolve(call: ToolCall): readonly CommandGlob[];
  /** Whether no command that the rules leave open has an unknown or dangerous effect. Calls that run no line are harmless. */
  isHarmless(call: ToolCall): boolean;
  /** Whether a call only edits files inside the workspace, none of them one that governs the agent. */
  editsWorkspace(call: ToolCall): boolean;
}

/** What a pool is compiled with. */
export interface PoolOptions {
  readonly tools?: ToolTable;
  /** Absolute files that {@link PolicyPool.editsWorkspace} never takes for an edit like any other: the policies in force. */
  readonly protectedFiles?: readonly string[];
  /**
   * The fact of a call that holds, as `paths`, where its paths lead: lists of the text, its real path and other names of that. A text
   * alone is a path that cannot be resolved. As `globs`: for each pattern the `places` that it finds by way of a link, each such a list
   * without the text; none of them where the folders cannot be looked through. Without such a fact paths count as they are written. Default: `@bylaw/plugin-policy`.
   */
  readonly pathsFact?: string;
  /** A digest of the marks' definitions. Without it, recorded marks are ignored and calls are matched again. */
  readonly digest?: (definitions: string) => string;
}

const NOTHING: Evaluated = { held: new Map(), votes: [], run: undefined };

/** Compiles files into one pool. Neither the order of files nor of rules changes what it decides. */
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
  // A call that no rule decides is looked at again for its reason.
  let last: CallFacts | undefined;
  const factsOf = (call: ToolCall): CallFacts =>
    last?.call === call ? last : (last = newFacts(call));
  const factsIn = (call: ToolCall, run: RunState | undefined): CallFacts =>
    inRun(factsOf(call), set, run);
  const marks =
    set === undefined
      ? undefined
      : new RecordedMarks({ set, factsOf: newFacts, digest: digest(set.definitions) });
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

  // The mode needs to know what is written outside the workspace.
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
      // Facts of its own: another run may ask about the same call while this waits.
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
      const { perCommand, carried } = factsIn(call, run);
      const all = [...perCommand, ...carried];
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

/** A file without the rules of these names. Final rules stay. */
export function withoutRules(file: PolicyFile, dropped: ReadonlySet<string>): PolicyFile {
  if (dropped.size === 0) return file;
  const rules = file.rules.filter(({ source }) => source.final || !dropped.has(source.name));
  const { alone } = file;
  return { ...file, rules, ...(alone === undefined ? {} : { alone: alone.without(dropped) }) };
}
