import { canonicalJson, type Effect, type ToolCall, type Verdict } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import type { Rule } from "../compile/rule.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { compilePolicy, type PolicyPool } from "../decide/policy-pool.ts";
import { comment, tomlOf, type TomlTable } from "../import/toml.ts";
import { PolicyError } from "../load/finding.ts";
import { parsePolicy } from "../load/parse-policy.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { CallFacts } from "../match/call-facts.ts";
import { marksIn } from "../marks/mark-set.ts";
import { inRun } from "../marks/run-marks.ts";
import type { RunState } from "../match/run-state.ts";
import { inlineCallsOf } from "./inline-calls.ts";
import { narrowRule, type NarrowRule } from "./narrow-rule.ts";
import { isOverridable, openParts, type OpenPart } from "./open-parts.ts";
import { nearMissesOf, wideMissesOf } from "./near-misses.ts";
import { wideRule } from "./wide-rule.ts";

/** The parts of a decision that a suggestion needs. */
export interface SuggestionOutcome {
  readonly effect: Effect;
  readonly code: string;
  readonly reason: string;
  readonly rule?: Verdict["rule"];
}

/** The input of {@link suggestRule}. */
export interface SuggestionInput {
  readonly files: readonly PolicyFile[];
  readonly tools?: ToolTable;
  readonly call: ToolCall;
  /** The same call after preparation. */
  readonly prepared: ToolCall;
  /** Further prepared calls that the rule must allow. They have the same {@link callShape}, and differ in their files. */
  readonly alike?: readonly ToolCall[];
  /** The state of the run that conditions see. */
  readonly run?: RunState;
  /** Prepares a call and decides it with a pool. */
  readonly decide: (call: ToolCall, pool: PolicyPool) => Promise<SuggestionOutcome>;
  /** Whether people answered the call with yes. Then the rule may change a case that asks about the very same call. */
  readonly answered?: boolean;
  /** Further decisions that must not change, in addition to those of the inline cases. */
  readonly cases?: readonly {
    readonly name: string;
    readonly call?: ToolCall;
    readonly decide: (pool: PolicyPool) => Promise<SuggestionOutcome>;
    /** The present effect, if it is known. */
    readonly now?: Effect;
  }[];
}

/** An ask that a suggestion overrides, or a deny that the ask overrides. */
export interface OverriddenRule {
  readonly name: string;
  readonly effect: Effect;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string | undefined;
}

/** The smallest rule that allows a call, or the reason why there is none. */
export type Suggestion =
  | {
      /** The rule in TOML, to paste into a policy of the operator. */
      readonly toml: string;
      readonly name: string;
      /** The nearest variants of the call that the rule does not allow. */
      readonly beyond: readonly ToolCall[];
      /** The rules that it overrides. */
      readonly overrides: readonly OverriddenRule[];
      /** The cases that ask about the very same call, and that it changes. */
      readonly overruled: readonly string[];
      readonly why?: undefined;
    }
  | { readonly toml?: undefined; readonly why: string };

/**
 * Finds the smallest rule that allows a call. It may override asks that are not final and of tier `workspace` or `default`. It is suggested
 * only if it loads, makes the call allowed, changes no case, and allows no harmful variant of the call.
 */
export async function suggestRule(input: SuggestionInput): Promise<Suggestion> {
  const { files, tools = DEFAULT_TOOLS, call, decide } = input;
  const before = compilePolicy(files, { tools });
  const now = await decide(call, before);
  if (now.effect === "allow") return { why: "The call is already allowed" };
  const rules = files.flatMap((file) => file.rules);
  const strict = rules.find((rule) => isRuleOf(rule, now));
  if (strict !== undefined && !isOverridable(strict.source)) return { why: strictText(strict) };
  const { facts, open, asks, why } = await ruleFor(input, rules);
  if (asks === undefined) return { why };
  const overridden = [...new Set(open.flatMap((part) => part.overridden))];
  const { toml, name } = textOf({ ...asks, ...overriding(overridden) }, rules);
  const loaded = load(toml, tools);
  if (typeof loaded === "string") return { why: `No rule can spell out this call: ${loaded}` };
  const after = compilePolicy([...files, loaded], { tools });
  const then = await decide(call, after);
  if (then.effect !== "allow")
    return { why: `A rule for this call would not allow it: ${then.reason}` };
  const pools = { before, after };
  const changed = await changedCases(input, pools);
  if (typeof changed === "string") return { why: changed };
  const beyond = await missesBeyond(input, { facts, open: open.map((part) => part.facts) }, pools);
  if (typeof beyond === "string") return { why: beyond };
  const overrides = overridden.map(({ source }) => ({
    name: source.name,
    effect: source.effect,
    file: source.file,
    line: source.line,
    reason: source.reason,
  }));
  return { toml, name, beyond, overrides, overruled: changed };
}

interface Pools {
  readonly before: PolicyPool;
  readonly after: PolicyPool;
}

// The names of the cases that people's answers overrule, or why another case stands against the rule.
async function changedCases(
  input: SuggestionInput,
  { before, after }: Pools,
): Promise<readonly string[] | string> {
  const overruled: string[] = [];
  for (const one of [...inlineCases(input), ...(input.cases ?? [])]) {
    const old = one.now ?? (await one.decide(before)).effect;
    const changed = (await one.decide(after)).effect;
    if (old === changed) continue;
    if (input.answered !== true || old !== "ask_user" || !isSame(one.call, input.call))
      return `The smallest rule for this call would also decide ${one.name}, from \`${old}\` to \`${changed}\``;
    overruled.push(one.name);
  }
  return overruled;
}

// The nearest variants that the rule does not allow, or the harmful one that it would allow.
async function missesBeyond(
  { call, alike = [], decide }: SuggestionInput,
  { facts, open }: { readonly facts: CallFacts; readonly open: readonly CallFacts[] },
  { before, after }: Pools,
): Promise<readonly ToolCall[] | string> {
  const beyond: ToolCall[] = [];
  const misses =
    alike.length === 0 ? nearMissesOf(call, facts, open) : wideMissesOf(call, facts, open);
  for (const miss of misses) {
    if ((await decide(miss, after)).effect !== "allow") beyond.push(miss);
    else if ((await decide(miss, before)).effect !== "allow")
      return `The smallest rule for this call would also allow ${quote(JSON.stringify(miss.args))}`;
  }
  return beyond;
}

const isSame = (one: ToolCall | undefined, other: ToolCall): boolean =>
  one !== undefined && keyOf(one) === keyOf(other);

const keyOf = ({ tool, server, args }: ToolCall): string =>
  canonicalJson([tool, server ?? null, args]);

function overriding(rules: readonly Rule[]): TomlTable {
  if (rules.length === 0) return {};
  const names = [...new Set(rules.map(({ source }) => source.name))];
  const raised = rules.some(({ source }) => source.tier === "workspace");
  return { ...(raised ? { priority: "workspace" } : {}), overrides: names };
}

type RuleForCalls = NarrowRule & { readonly facts: CallFacts; readonly open: readonly OpenPart[] };

// A rule for one call spells it out. A rule for several covers what they have in common.
async function ruleFor(
  { tools = DEFAULT_TOOLS, files, prepared, alike = [], run }: SuggestionInput,
  rules: readonly Rule[],
): Promise<RuleForCalls> {
  const marks = marksIn(files, tools);
  const openIn = async (call: ToolCall) => {
    const facts = inRun(new CallFacts(call, tools), marks, run);
    return { facts, open: openParts(await heldRules(rules, facts, run), facts.perCommand) };
  };
  const own = await openIn(prepared);
  const all = [own];
  for (const other of alike) all.push(await openIn(other));
  const open = all.flatMap((one) => one.open);
  const strict = open.find((part) => part.strict !== undefined)?.strict;
  if (strict !== undefined) return { ...own, why: strictText(strict) };
  const partsOf = ({ open: parts }: typeof own) => parts.map(({ facts }) => facts);
  if (alike.length === 0) return { ...own, ...narrowRule(own.facts, partsOf(own)) };
  const [ask] = open.flatMap(({ overridden }) => overridden);
  if (ask !== undefined)
    return {
      ...own,
      why: `The rule ${quote(ask.source.name)} asks on purpose, so only a call that repeats can be spelled out`,
    };
  return { ...own, ...wideRule(all.map((one) => ({ facts: one.facts, open: partsOf(one) }))) };
}

const isRuleOf = ({ source }: Rule, { rule }: SuggestionOutcome): boolean =>
  rule !== undefined &&
  source.name === rule.name &&
  source.file === rule.file &&
  source.line === rule.line;

function strictText({ source }: Rule): string {
  const { name, file, line, effect, final, tier } = source;
  const does = effect === "deny" ? "denies" : "asks about";
  const lifts = final
    ? "It is final, so no allow overrides it"
    : `No allow of its priority \`${tier}\` or a lower one overrides it`;
  return `The rule ${quote(name)} (${file}:${line}) ${does} this call. ${lifts}`;
}

async function heldRules(
  rules: readonly Rule[],
  facts: CallFacts,
  run: RunState | undefined,
): Promise<ReadonlySet<Rule>> {
  const held = new Set<Rule>();
  for (const rule of rules) {
    if (!facts.perCommand.some((part) => rule.matches(part))) continue;
    if (rule.when === undefined || (await rule.when.holds(facts.call, run))) held.add(rule);
  }
  return held;
}

function inlineCases({
  files,
  tools = DEFAULT_TOOLS,
  call,
  decide,
}: SuggestionInput): NonNullable<SuggestionInput["cases"]> {
  return files.flatMap((file) =>
    inlineCallsOf(file, call, tools).map(({ name, call: asked }) => ({
      name,
      call: asked,
      decide: (pool: PolicyPool) => decide(asked, pool),
    })),
  );
}

const OPEN = "The rule allows any value of arguments that it does not name.";

function textOf(
  asks: TomlTable,
  rules: readonly Rule[],
): { readonly toml: string; readonly name: string } {
  const taken = new Set(rules.map(({ source }) => source.name));
  const { command, tool } = asks;
  const about = [command, tool].flat().find((text) => typeof text === "string") ?? "call";
  const words = `allow ${about}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const base = words.slice(0, 4).join("-");
  let name = base;
  for (let at = 2; taken.has(name); at++) name = `${base}-${at}`;
  // A rule cannot forbid further arguments of a tool.
  const note = command === undefined && asks["paths"] === undefined ? [comment(OPEN)] : [];
  const lines = [...note.flat(), "[[rules]]", ...tomlOf({ name, action: "allow", ...asks }), ""];
  return { toml: lines.join("\n"), name };
}

function load(text: string, tools: ToolTable): PolicyFile | string {
  try {
    return parsePolicy(text, { file: "suggestion.toml", tools, operator: true });
  } catch (error) {
    if (error instanceof PolicyError) return error.findings[0]?.message ?? error.message;
    throw error;
  }
}
