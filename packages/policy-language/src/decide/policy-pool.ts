import type { Effect, ToolCall, Verdict } from "@bylaw/kernel";
import type { Rule } from "../compile/rule.ts";
import { buildIndex, type RuleIndex } from "../compile/rule-index.ts";
import { stricter } from "../compile/strictness.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { findDanger } from "../explain/find-danger.ts";
import { createNearestRule, unmatchedReason } from "../explain/nearest-rule.ts";
import {
  reportRules,
  type Evaluated,
  type PoolRule,
  type RuleReport,
} from "../explain/rule-reports.ts";
import { RelatedRules } from "../explain/related-rules.ts";
import type { CompatPolicy } from "../compat/compat-policy.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { marksIn, type MarkSet } from "../marks/mark-set.ts";
import { RecordedMarks } from "../marks/recorded-marks.ts";
import { inRun } from "../marks/run-marks.ts";
import { CallFacts } from "../match/call-facts.ts";
import type { RunState } from "../match/run-state.ts";
import { knownGlobs, knownTexts, type CommandGlob } from "../paths/call-paths.ts";
import { createFileGuards, type FileGuards } from "../paths/denied-files.ts";
import { editsOnlyWorkspace } from "../paths/workspace-edits.ts";
import { CallEvaluation } from "./evaluation.ts";
import type { PolicyPool, PoolOptions } from "./pool-contract.ts";
import { rankRules, RuleMatcher, type Entry } from "./rule-matcher.ts";
import { createPolicyScope, type PolicyScope } from "./unknown-votes.ts";

export type { PolicyPool, PoolOptions } from "./pool-contract.ts";

const NOTHING: Evaluated = { held: new Map(), votes: [], run: undefined };

/** A policy of another system, which votes by itself. */

/** The rules of all files, ranked and indexed. */
class CompiledPool implements PolicyPool {
  readonly fallback: Effect | undefined;
  readonly rules: readonly PoolRule[];
  readonly conditional: boolean;
  readonly marks: RecordedMarks | undefined;
  readonly projections: ReadonlyMap<string, PoolRule>;
  readonly #tools: ToolTable;
  readonly #protectedFiles: readonly string[];
  readonly #facts: FactsKeeper;
  readonly #entries: readonly Entry[];
  readonly #own: readonly Rule[];
  readonly #allows: readonly Rule[];
  readonly #guards: FileGuards;
  readonly #compat: readonly { readonly file: string; readonly policy: CompatPolicy }[];
  /** Whether a file is written for Bylaw itself. */
  readonly #hasNative: boolean;
  readonly #index: RuleIndex;
  /** Whether the conditions of rules that could not decide are needed too. */
  readonly #conditions: boolean;
  readonly #scope: PolicyScope;
  readonly #evaluated = new WeakMap<ToolCall, Evaluated>();
  #nearest: ReturnType<typeof createNearestRule> | undefined;
  #related: RelatedRules | undefined;

  constructor(files: readonly PolicyFile[], options: PoolOptions) {
    const { tools = DEFAULT_TOOLS, protectedFiles = [], pathsFact, digest = () => "" } = options;
    this.#tools = tools;
    this.#protectedFiles = protectedFiles;
    this.fallback = strictestDefault(files);
    this.#entries = rankRules(files.flatMap((file) => file.rules));
    const rules = this.#entries.map(({ rule }) => rule);
    this.#own = rules;
    this.#guards = createFileGuards(rules);
    this.#compat = files.flatMap(({ file, compatPolicy: policy }) =>
      policy === undefined ? [] : [{ file, policy }],
    );
    this.#hasNative = files.some((file) => file.compat === undefined);
    this.#allows = rules.filter(({ source }) => source.effect === "allow" && !source.shadow);
    this.#index = buildIndex(this.#entries, tools);
    this.#conditions = rules.some(
      ({ source }) => (source.overrides ?? source.instead) !== undefined,
    );
    const set = marksIn(files, tools);
    const markRules = set?.marks.map(({ may }) => may) ?? [];
    this.#scope = createPolicyScope(rules, tools, markRules);
    const namedArguments = namesOf([...rules, ...markRules]);
    const facts = new FactsKeeper(
      set,
      (call) => new CallFacts(call, tools, { pathsFact, namedArguments }),
    );
    this.#facts = facts;
    const { of: factsOf, fresh: newFacts } = facts;
    this.marks =
      set === undefined
        ? undefined
        : new RecordedMarks({ set, factsOf, newFacts, digest: digest(set.definitions) });
    this.conditional = rules.some(({ when }) => when !== undefined);
    this.rules = [
      ...rules.map(poolRule),
      ...this.#compat.flatMap(({ file, policy }) =>
        policy.rules.map(({ name, line }) => ({ name, final: false, file, line })),
      ),
    ];
    this.projections = new Map(
      rules
        .toReversed()
        .flatMap((rule) =>
          [...(rule.when?.projections ?? [])].map((name) => [name, poolRule(rule)] as const),
        ),
    );
  }

  evaluate(call: ToolCall, run?: RunState): readonly Verdict[] | undefined {
    return this.#evaluate(call, run, this.#index, { bounded: true });
  }

  evaluateByScan(call: ToolCall, run?: RunState): readonly Verdict[] | undefined {
    const scan: RuleIndex = (facts, matcher) => {
      for (const entry of this.#entries) matcher.see(entry, facts);
    };
    return this.#evaluate(call, run, scan, { bounded: false });
  }

  async evaluateConditional(
    call: ToolCall,
    run?: RunState,
  ): Promise<readonly Verdict[] | undefined> {
    // Use fresh facts: another run may ask about the same call while this one waits.
    const facts = this.#facts.inRun(this.#facts.fresh(call), run);
    const evaluation = this.#evaluationOf(facts, this.#index, { bounded: true });
    const open = evaluation.open();
    const answers = await Promise.all(
      open.map(async ({ rule }) => (await rule.when?.holds(call, run)) === true),
    );
    const held = new Map(open.map(({ rule }, at) => [rule, answers[at] === true]));
    evaluation.settle(({ rule }) => held.get(rule) === true);
    const votes = this.#votesOf(evaluation);
    if (this.conditional) this.#evaluated.set(call, { held, votes: votes ?? [], run });
    return votes;
  }

  async evaluateConditionalByScan(
    call: ToolCall,
    run?: RunState,
  ): Promise<readonly Verdict[] | undefined> {
    const whole = this.#facts.inRun(this.#facts.of(call), run);
    const all = [...whole.perCommand, ...whole.embedded];
    const held = new Set<Rule>();
    for (const rule of this.#own) {
      if (!all.some((facts) => rule.matches(facts) || rule.mayMatch?.(facts) === true)) continue;
      if (rule.when === undefined || (await rule.when.holds(call, run))) held.add(rule);
    }
    const scan: RuleIndex = (facts, matcher) => {
      for (const entry of this.#entries) if (held.has(entry.rule)) matcher.seeHeld(entry, facts);
    };
    return this.#votesOf(this.#evaluationOf(whole, scan, { bounded: false }));
  }

  explain(call: ToolCall, run?: RunState): readonly RuleReport[] {
    const { perCommand: parts } = this.#facts.of(call);
    const found = this.conditional
      ? (this.#evaluated.get(call) ?? NOTHING)
      : { ...NOTHING, votes: this.evaluate(call, run) ?? [] };
    const nearestRule = this.#nearestRule();
    const related = (this.#related ??= new RelatedRules(this.#own));
    const pool = { rules: this.#own, compat: this.#compat, nearestRule, related };
    return reportRules({ ...pool, call, parts, found });
  }

  unmatched(call: ToolCall): string | undefined {
    const near = this.#nearestRule()(this.#facts.of(call).perCommand, this.#heldFor(call));
    const asks = this.#hasNative && call.approval_mode === "yolo" ? this.#danger(call) : undefined;
    if (near === undefined) return asks;
    return asks === undefined ? unmatchedReason(near) : `${unmatchedReason(near)}. ${asks}`;
  }

  pathsToResolve(call: ToolCall): readonly string[] {
    const facts = this.#facts.of(call);
    const writes = this.#tools.files.get(facts.identity.bare)?.write !== undefined;
    return writes || this.#resolves(facts) ? knownTexts(facts) : [];
  }

  globsToResolve(call: ToolCall): readonly CommandGlob[] {
    const facts = this.#facts.of(call);
    return this.#resolves(facts) ? knownGlobs(facts, this.#guards) : [];
  }

  isHarmless(call: ToolCall): boolean {
    return !this.#hasNative || this.#danger(call) === undefined;
  }

  editsWorkspace(call: ToolCall): boolean {
    return editsOnlyWorkspace(this.#facts.of(call), this.#protectedFiles);
  }

  #evaluate(
    call: ToolCall,
    run: RunState | undefined,
    collect: RuleIndex,
    bounds: { readonly bounded: boolean },
  ): readonly Verdict[] | undefined {
    if (this.conditional)
      throw new TypeError("This policy has rules with `when`: call evaluateConditional");
    const facts = this.#facts.inRun(this.#facts.of(call), run);
    return this.#votesOf(this.#evaluationOf(facts, collect, bounds));
  }

  #evaluationOf(
    facts: CallFacts,
    collect: RuleIndex,
    bounds: { readonly bounded: boolean },
  ): CallEvaluation {
    return new CallEvaluation(facts, collect, { ...bounds, conditions: this.#conditions });
  }

  #votesOf(evaluation: CallEvaluation): readonly Verdict[] | undefined {
    const votes = this.#hasNative ? evaluation.votes(this.#scope, this.fallback) : undefined;
    return this.#compat.length === 0
      ? votes
      : [...(votes ?? []), ...this.#compat.map(({ policy }) => policy.vote(evaluation.whole.call))];
  }

  // Approval modes need to know whether a call writes outside the workspace.
  #resolves(facts: CallFacts): boolean {
    return (
      this.#scope.resolves(facts.identity) ||
      (this.#hasNative && facts.call.approval_mode === "yolo" && facts.lines.length > 0)
    );
  }

  #danger(call: ToolCall): string | undefined {
    return findDanger(this.#facts.of(call), this.#allows, this.#heldFor(call));
  }

  #heldFor(call: ToolCall): (rule: Rule) => boolean {
    const held = this.#evaluated.get(call)?.held;
    return (rule) => rule.when === undefined || held?.get(rule) === true;
  }

  #nearestRule(): ReturnType<typeof createNearestRule> {
    return (this.#nearest ??= createNearestRule({
      rules: this.#own,
      covers: (facts, holds) => {
        const matcher = new RuleMatcher();
        this.#index(facts, matcher);
        return (
          matcher.outcome() !== undefined ||
          matcher.open().some(({ rule, shadow }) => !shadow && holds(rule))
        );
      },
    }));
  }
}

/** Compiles policy files into one pool. The order of files and rules never changes a decision. */
export function compilePolicy(files: readonly PolicyFile[], options: PoolOptions = {}): PolicyPool {
  return new CompiledPool(files, options);
}

/** Returns the file without the rules of these names. Final rules stay. */
export function withoutRules(file: PolicyFile, dropped: ReadonlySet<string>): PolicyFile {
  if (dropped.size === 0) return file;
  const rules = file.rules.filter(({ source }) => source.final || !dropped.has(source.name));
  const compat = file.compatPolicy?.without(dropped);
  return { ...file, rules, ...(compat && { compatPolicy: compat }) };
}

/** Reads the facts of calls. Keeps those of the last one, because `unmatched` and `explain` usually ask about the same call. */
class FactsKeeper {
  readonly fresh: (call: ToolCall) => CallFacts;
  readonly #marks: MarkSet | undefined;
  #last: CallFacts | undefined;

  constructor(marks: MarkSet | undefined, fresh: (call: ToolCall) => CallFacts) {
    this.#marks = marks;
    this.fresh = fresh;
  }

  readonly of = (call: ToolCall): CallFacts =>
    this.#last?.call === call ? this.#last : (this.#last = this.fresh(call));

  inRun(facts: CallFacts, run: RunState | undefined): CallFacts {
    return inRun(facts, this.#marks, run);
  }
}

function strictestDefault(files: readonly PolicyFile[]): Effect | undefined {
  const defaults = files.flatMap((file) => file.default ?? []);
  return defaults.length === 0 ? undefined : defaults.reduce(stricter);
}

/** The arguments that conditions name, with the first part of a path such as `a.b`. */
const namesOf = (rules: readonly Rule[]): ReadonlySet<string> =>
  new Set(
    rules.flatMap(({ conditions, source }) =>
      source.shadow ? [] : conditions.flatMap(({ name }) => [name, name.split(".")[0] ?? name]),
    ),
  );

const poolRule = ({ source: { name, final, file, line } }: Rule): PoolRule => ({
  ...{ name, final, file, line },
});
