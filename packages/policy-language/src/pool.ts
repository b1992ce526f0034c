import { stricter, type Effect, type JsonObject, type ToolCall, type Verdict } from "@bylaw/kernel";
import { CallFacts } from "./facts.ts";
import { CallHearing } from "./hearing.ts";
import type { PolicyFile } from "./parse.ts";
import type { CompatPolicy } from "./compat.ts";
import type { Rule } from "./rule.ts";
import { buildIndex, type RuleIndex } from "./rule-index.ts";
import type { RunState } from "./run-state.ts";
import { rankRules } from "./tally.ts";
import { knownGlobs, knownTexts, type CommandGlob } from "./paths.ts";
import { DEFAULT_TOOLS, type ToolTable } from "./tools.ts";
import { createConcerns } from "./unknown.ts";
import { missOf } from "./why.ts";
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
  /** What this part asks for. */
  readonly expected?: string;
  /** What the call has there. */
  readonly actual?: string;
  /** The rule is about other tools: whatever the arguments are, it would not match. */
  readonly elsewhere?: true;
  /** The command of the line, in one form, that matched or came closest. */
  readonly command?: string;
  /** The part that does not hold may do so, as far as the command can be known. */
  readonly may_match?: true;
  /** The other parts hold, and the condition was not asked: it could not change the outcome, or the call was not evaluated. */
  readonly depends_on?: "when";
  /** What its condition saw of projections, by name and path. */
  readonly states?: JsonObject;
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
  /** The projections that conditions ask about, each with a rule that does. */
  readonly projections: ReadonlyMap<string, PoolRule>;
  /**
   * The one counting vote and the votes of rules in shadow; undefined to abstain. Each file with `compat` adds a vote of
   * its own. Without prepared real paths only the paths as written count. Throws TypeError in a conditional pool.
   */
  evaluate(call: ToolCall): readonly Verdict[] | undefined;
  /** The same by asking every rule, without the index, however many there are to ask. */
  evaluateByScan(call: ToolCall): readonly Verdict[] | undefined;
  /**
   * The same with the conditions of the rules that match otherwise, over the call and the state of its run; rejects when one
   * cannot be evaluated. For any pool.
   */
  evaluateConditional(call: ToolCall, run?: RunState): Promise<readonly Verdict[] | undefined>;
  /** The same by asking every rule and every condition of a rule that matches otherwise. */
  evaluateConditionalByScan(call: ToolCall, run?: RunState): Promise<readonly Verdict[] | undefined>;
  /** How every rule stands to a call. In a conditional pool it tells of conditions and votes what the last evaluation of this very object found. */
  explain(call: ToolCall): readonly RuleReport[];
  /** The paths of a call that a host resolves before it asks: of files that a rule is about, and of what the call writes. */
  pathsToResolve(call: ToolCall): readonly string[];
  /** The globs of its commands that a host looks up besides, for links among what they find. */
  globsToResolve(call: ToolCall): readonly CommandGlob[];
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
}

/** Compiles files into one pool. Neither the order of files nor of rules changes what it decides. */
export function compilePolicy(files: readonly PolicyFile[], options: PoolOptions = {}): PolicyPool {
  const { tools = DEFAULT_TOOLS, protectedFiles = [], pathsFact } = options;
  let fallback: Effect | undefined;
  for (const file of files) {
    if (file.default !== undefined) fallback = fallback === undefined ? file.default : stricter(fallback, file.default);
  }
  const entries = rankRules(files.flatMap((file) => file.rules));
  const rules = entries.map(({ rule }) => rule);
  const namedArguments = new Set(
    rules.flatMap(({ conditions, source }) => (source.shadow ? [] : conditions.flatMap(({ name }) => [name, name.split(".")[0] ?? name]))),
  );
  const factsOf = (call: ToolCall): CallFacts => new CallFacts(call, tools, { pathsFact, namedArguments });
  const alone = files.flatMap(({ file, alone: policy }) => (policy === undefined ? [] : [{ file, policy }]));
  const speaks = files.some((file) => file.compat === undefined);
  const index = buildIndex(entries, tools);
  const concerns = createConcerns(rules, tools);

  const conditional = rules.some(({ when }) => when !== undefined);
  const evaluated = new WeakMap<ToolCall, Evaluated>();

  const finish = (hearing: CallHearing): readonly Verdict[] | undefined => {
    const votes = speaks ? hearing.votes(concerns, fallback) : undefined;
    return alone.length === 0 ? votes : [...(votes ?? []), ...alone.map(({ policy }) => policy.vote(hearing.whole.call))];
  };

  const scan: RuleIndex = (facts, tally) => {
    for (const entry of entries) tally.see(entry, facts);
  };
  const evaluate = (call: ToolCall, collect: RuleIndex, bounds: { readonly bounded: boolean }): readonly Verdict[] | undefined => {
    if (conditional) throw new TypeError("Unexpected evaluation without the conditions of `when`, expected evaluateConditional");
    return finish(new CallHearing(factsOf(call), collect, bounds));
  };

  const pool: PolicyPool = {
    fallback,
    rules: [
      ...rules.map(({ source: { name, final, file, line } }) => ({ name, final, file, line })),
      ...alone.flatMap(({ file, policy }) => policy.rules.map(({ name, line }) => ({ name, final: false, file, line }))),
    ],
    conditional,
    projections: new Map(
      rules
        .toReversed()
        .flatMap(({ when, source: { name, final, file, line } }) =>
          [...(when?.projections ?? [])].map((projection) => [projection, { name, final, file, line }] as const),
        ),
    ),
    evaluate: (call) => evaluate(call, index, { bounded: true }),
    evaluateByScan: (call) => evaluate(call, scan, { bounded: false }),
    async evaluateConditional(call, run) {
      const hearing = new CallHearing(factsOf(call), index, { bounded: true });
      const open = hearing.open();
      const answers = await Promise.all(open.map(async ({ rule }) => (await rule.when?.holds(call, run)) === true));
      const held = new Map(open.map(({ rule }, at) => [rule, answers[at] === true]));
      hearing.settle(({ rule }) => held.get(rule) === true);
      const votes = finish(hearing);
      if (conditional) evaluated.set(call, { held, votes: votes ?? [], run });
      return votes;
    },
    async evaluateConditionalByScan(call, run) {
      const { heard } = factsOf(call);
      const held = new Set<Rule>();
      for (const rule of rules) {
        if (!heard.some((facts) => rule.matches(facts) || rule.mayMatch?.(facts) === true)) continue;
        if (rule.when === undefined || (await rule.when.holds(call, run))) held.add(rule);
      }
      return finish(
        new CallHearing(
          factsOf(call),
          (facts, tally) => {
            for (const entry of entries) if (held.has(entry.rule)) tally.seeHeld(entry, facts);
          },
          { bounded: false },
        ),
      );
    },
    explain(call) {
      const { heard } = factsOf(call);
      const found = conditional ? (evaluated.get(call) ?? NOTHING) : { ...NOTHING, votes: pool.evaluate(call) ?? [] };
      const { votes } = found;
      const deciding = (name: string, file: string, line: number): boolean =>
        votes.some(({ rule }) => rule?.name === name && rule.file === file && rule.line === line);
      return [
        ...rules.map((rule) => reportOf(rule, heard, found, deciding)),
        ...alone.flatMap((one) => reportsOfAlone(one, call, deciding)),
      ];
    },
    pathsToResolve(call) {
      const facts = factsOf(call);
      const writes = tools.files.get(facts.identity.bare)?.write !== undefined;
      return writes || concerns.paths(facts.identity) ? knownTexts(facts) : [];
    },
    globsToResolve(call) {
      const facts = factsOf(call);
      return concerns.paths(facts.identity) ? knownGlobs(facts) : [];
    },
    editsWorkspace: (call) => editsOnlyWorkspace(factsOf(call), protectedFiles),
  };
  return pool;
}

/** What an evaluation found of the conditions that it asked. */
interface Evaluated {
  readonly held: ReadonlyMap<Rule, boolean>;
  readonly votes: readonly Verdict[];
  readonly run: RunState | undefined;
}

const NOTHING: Evaluated = { held: new Map(), votes: [], run: undefined };

/** A file without the rules of these names. Final rules stay. */
export function withoutRules(file: PolicyFile, dropped: ReadonlySet<string>): PolicyFile {
  if (dropped.size === 0) return file;
  const rules = file.rules.filter(({ source }) => source.final || !dropped.has(source.name));
  const { alone } = file;
  return { ...file, rules, ...(alone === undefined ? {} : { alone: alone.without(dropped) }) };
}

type Deciding = (name: string, file: string, line: number) => boolean;

function reportOf(rule: Rule, parts: readonly CallFacts[], { held, run }: Evaluated, deciding: Deciding): RuleReport {
  const { name, final, file, line, effect, tier, shadow } = rule.source;
  const { failedPart, command, may } = closest(rule, parts);
  const condition = rule.when === undefined ? true : held.get(rule);
  const failed = failedPart ?? (condition === false ? "when" : undefined);
  const states = run !== undefined && held.has(rule) && rule.when?.projections.size !== 0 ? rule.when?.states(run) : undefined;
  return {
    name,
    final,
    file,
    line,
    effect,
    tier,
    shadow,
    matched: failed === undefined && condition === true,
    ...(command === undefined ? {} : { command }),
    ...(failed === undefined ? {} : { failed, ...missOf(rule, failed, parts) }),
    ...(failed !== undefined && may ? { may_match: true as const } : {}),
    ...(failed === undefined && condition === undefined ? { depends_on: "when" as const } : {}),
    ...(states === undefined ? {} : { states }),
    deciding: deciding(name, file, line),
  };
}

// The first part of the rule that does not hold, for the command of the line that gets furthest.
function closest(
  rule: Rule,
  parts: readonly CallFacts[],
): { readonly failedPart: string | undefined; readonly command: string | undefined; readonly may: boolean } {
  let best: CallFacts | undefined;
  let reached = -1;
  let may = false;
  for (const facts of parts) {
    const failing = rule.parts.findIndex((part) => !part.holds(facts));
    const height = failing < 0 ? rule.parts.length : failing;
    const doubted = failing >= 0 && facts.part?.doubtful === true && rule.mayMatch?.(facts) === true;
    if (height > reached || (doubted && !may && reached < rule.parts.length)) {
      best = facts;
      reached = height;
      may = doubted;
    }
    if (failing < 0) break;
  }
  return { failedPart: rule.parts[reached]?.key, command: best?.part?.text, may };
}

function reportsOfAlone(
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
