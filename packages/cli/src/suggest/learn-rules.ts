import { compilePolicy, parsePolicy, type Suggestion } from "@bylaw/policy-language";
import type { ToolCall } from "@bylaw/kernel";
import type { PolicyBench } from "../cases/policy-bench.ts";
import type { AnsweredCall } from "./answered-calls.ts";
import { createRuleSuggester, type FixedCall, type RuleSuggester } from "./rule-suggester.ts";

type Suggested = Extract<Suggestion, { readonly toml: string }>;

/** A rule that would have saved questions. */
export interface LearnedRule {
  readonly name: string;
  readonly toml: string;
  /** How many questions it would have saved. */
  readonly saves: number;
  /** The calls that people said yes to. */
  readonly calls: readonly AnsweredCall[];
  /** Variants of the first call that it does not allow, the nearest first. */
  readonly beyond: readonly ToolCall[];
  /** The rules that it overrides. */
  readonly overrides: Suggested["overrides"];
  /** The cases that ask about the very same call. */
  readonly overruled: Suggested["overruled"];
  /** Other calls of the log that it would allow, and that nobody answered. */
  readonly newly_allowed: readonly AnsweredCall[];
}

/** Calls that people always said yes to, without a rule for them. */
export interface UnlearnedCalls {
  readonly calls: readonly AnsweredCall[];
  readonly why: string;
}

export interface Learned {
  readonly rules: readonly LearnedRule[];
  readonly without_rule: readonly UnlearnedCalls[];
}

interface LearnOptions {
  /** How many times a person must have said yes to one call. A rule for several needs one yes more, because it covers others too. */
  readonly atLeast: number;
  /** Further calls whose decision must not change. */
  readonly fixed: readonly FixedCall[];
}

/** The most calls that one rule is made from. It is checked against all others. */
const MAX_ALIKE = 50;

/** Learns rules from answers: for calls that differ only in their files and that people always said yes to. */
export async function learnRules(
  all: readonly AnsweredCall[],
  bench: PolicyBench,
  { atLeast, fixed }: LearnOptions,
): Promise<Learned> {
  const refused = all.filter(({ no, denied }) => no > 0 || denied > 0);
  const suggester = await createRuleSuggester(bench, [
    ...fixed,
    ...refused.map(({ call }) => ({
      name: `a call that was refused: ${JSON.stringify(call.args)}`,
      call,
    })),
  ]);
  const { sources } = bench;
  const now = compilePolicy(sources.files, { tools: sources.tools });
  const rules: LearnedRule[] = [];
  const without: UnlearnedCalls[] = [];
  const names = new Set<string>();
  for (const group of await groupsOf(all, suggester)) {
    const open: AnsweredCall[] = [];
    for (const one of group)
      if ((await suggester.decide(one.call, now)).effect !== "allow") open.push(one);
    for (const found of await learnGroup(open, suggester, atLeast)) {
      if ("why" in found) {
        without.push(found);
        continue;
      }
      // Rules of one run must not share a name, since each may be accepted.
      const name = uniqueName(found.name, names);
      const toml = found.toml.replace(`name = "${found.name}"`, `name = "${name}"`);
      rules.push({
        ...found,
        name,
        toml,
        newly_allowed: await newlyAllowed(toml, all, found, bench, suggester),
      });
    }
  }
  return {
    rules: rules.toSorted((one, other) => other.saves - one.saves),
    without_rule: without.toSorted((one, other) => yesOf(other.calls) - yesOf(one.calls)),
  };
}

function uniqueName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let at = 2; taken.has(name); at++) name = `${wanted}-${at}`;
  taken.add(name);
  return name;
}

// A no to one call of a shape stands for all of them.
async function groupsOf(
  all: readonly AnsweredCall[],
  suggester: RuleSuggester,
): Promise<readonly (readonly AnsweredCall[])[]> {
  const groups = new Map<string, AnsweredCall[]>();
  for (const one of all) {
    const shape = await suggester.shapeOf(one.call);
    groups.set(shape, [...(groups.get(shape) ?? []), one]);
  }
  return [...groups.values()]
    .filter((group) => group.every(({ no, denied }) => no === 0 && denied === 0))
    .map((group) => group.filter(({ yes }) => yes > 0));
}

type Found = Omit<LearnedRule, "newly_allowed"> | UnlearnedCalls;

// One rule for all of them if there is one, or else a rule for each call that has enough answers by itself.
async function learnGroup(
  calls: readonly AnsweredCall[],
  suggester: RuleSuggester,
  atLeast: number,
): Promise<readonly Found[]> {
  const [first, ...others] = calls;
  if (first === undefined || yesOf(calls) < atLeast) return [];
  if (others.length > 0 && yesOf(calls) === atLeast)
    return await learnEach(calls, suggester, atLeast);
  const alike = others.slice(0, MAX_ALIKE).map(({ call }) => call);
  const together = await suggester.suggest(first.call, { alike, answered: true });
  if (together.toml !== undefined) return [{ ...together, saves: yesOf(calls), calls }];
  if (others.length === 0) return [{ calls, why: together.why }];
  const found = await learnEach(calls, suggester, atLeast);
  return found.length === 0 ? [{ calls, why: together.why }] : found;
}

async function learnEach(
  calls: readonly AnsweredCall[],
  suggester: RuleSuggester,
  atLeast: number,
): Promise<readonly Found[]> {
  const each = calls.filter(({ yes }) => yes >= atLeast);
  return (await Promise.all(each.map((one) => learnGroup([one], suggester, atLeast)))).flat();
}

const yesOf = (calls: readonly AnsweredCall[]): number =>
  calls.reduce((sum, { yes }) => sum + yes, 0);

async function newlyAllowed(
  toml: string,
  all: readonly AnsweredCall[],
  { calls }: Pick<LearnedRule, "calls">,
  { sources: { files, tools } }: PolicyBench,
  suggester: RuleSuggester,
): Promise<readonly AnsweredCall[]> {
  const rule = parsePolicy(toml, { file: "suggestion.toml", tools, operator: true });
  const [before, after] = [
    compilePolicy(files, { tools }),
    compilePolicy([...files, rule], { tools }),
  ];
  const found: AnsweredCall[] = [];
  for (const one of all) {
    if (calls.includes(one) || (await suggester.decide(one.call, after)).effect !== "allow")
      continue;
    if ((await suggester.decide(one.call, before)).effect !== "allow") found.push(one);
  }
  return found;
}
