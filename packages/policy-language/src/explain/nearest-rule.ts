import type { Effect } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { leadingGlob } from "../match/leading-glob.ts";
import { requirementText } from "./missed-part.ts";
import { nearnessOf, sharedWords } from "./nearness.ts";
import { RelatedRules } from "./related-rules.ts";

/** The call, or the command of its line, that no rule covers, and the nearest related rule, if any. */
interface NearMiss {
  readonly open: CallFacts;
  readonly rule: Rule | undefined;
}

const VERB: Readonly<Record<Effect, string>> = {
  allow: "allows",
  ask_user: "asks about",
  deny: "denies",
};

// A longer line is not searched for an uncovered command.
const MAX_PARTS = 50;

/** The part of a pool that the search for the nearest rule needs. */
interface RulesToSearch {
  readonly rules: readonly Rule[];
  /** Whether a rule matches that is not in shadow and whose condition holds. */
  readonly covers: (facts: CallFacts, holds: (rule: Rule) => boolean) => boolean;
}

/**
 * Creates a function that finds the first command of a line that no rule covers, and the nearest rule. `holds` tells
 * whether the condition of a rule holds.
 */
export function createNearestRule({
  rules,
  covers,
}: RulesToSearch): (
  parts: readonly CallFacts[],
  holds: (rule: Rule) => boolean,
) => NearMiss | undefined {
  const live = rules.filter(({ source }) => !source.shadow);
  const related = new RelatedRules(live);
  const byEffect = live.filter(
    ({ effects, words, regex }) => effects !== undefined && (words ?? regex) === undefined,
  );
  return (parts, holds) => {
    if (parts.length > MAX_PARTS) return undefined;
    // A single command must be the uncovered one, otherwise a rule has decided the call.
    const open =
      parts.length === 1
        ? parts[0]
        : parts.find((facts) => facts.part?.suspect !== true && !covers(facts, holds));
    if (open === undefined) return undefined;
    const [own, ...others] = open.part?.programs.map(({ name }) => related.aboutProgram(name)) ?? [
      related.aboutTool(open),
    ];
    const byName = own === undefined || own.length === 0 ? others.flat() : own;
    const near = byName.length > 0 ? byName : byEffect.filter((rule) => sharesEffect(rule, open));
    return { open, rule: nearestOf(near, open) };
  };
}

// An allow that lists one of the command's effects counts as near.
function sharesEffect({ effects, source }: Rule, { part }: CallFacts): boolean {
  if (part === null || source.effect !== "allow") return false;
  return [...part.named.names].some((name) => effects?.has(name) === true);
}

// The limit of rules about one program or tool to compare.
const MAX_RELATED = 50;

// If rules are equally near, an allow comes before a stricter one.
function nearestOf(rules: readonly Rule[], facts: CallFacts): Rule | undefined {
  let nearest: Rule | undefined;
  let most = -1;
  for (const rule of rules.slice(0, MAX_RELATED)) {
    const failed = rule.parts.findIndex((part) => !part.holds(facts));
    const held = failed < 0 ? rule.parts.length : failed;
    const near = 2 * nearnessOf(rule, held, facts) + (rule.source.effect === "allow" ? 1 : 0);
    if (near > most) [nearest, most] = [rule, near];
  }
  return nearest;
}

/** Describes what no rule covers, and what the nearest rule is about. */
export function unmatchedReason({ open, rule }: NearMiss): string {
  const line = lineOf(open);
  const command = open.part?.text;
  const variable = open.part?.variable;
  const uncovered =
    command === undefined ? `this call of ${quote(open.call.tool)}` : quote(command);
  const inLine =
    command === undefined || line === undefined || line === command ? "" : ` in ${quote(line)}`;
  if (command === "" && variable !== undefined)
    return `No rule covers setting ${quote(variable)}, which may change what later commands do`;
  if (command !== undefined && variable !== undefined)
    return `No rule covers ${quote(command)} with the variable ${quote(variable)}, which may change what it does`;
  const closest =
    rule === undefined ? "" : `. Closest: \`${rule.source.name}\`, which ${aboutOf(rule, open)}`;
  return `No rule covers ${uncovered}${inLine}${closest}`;
}

function lineOf({ args, tools, identity }: CallFacts): string | undefined {
  const line = args?.[tools.shell.get(identity.bare) ?? ""];
  return typeof line === "string" ? line : undefined;
}

const MAX_NAMES = 3;

function aboutOf({ source, parts, words }: Rule, facts: CallFacts): string {
  const does = VERB[source.effect];
  const given = facts.part?.words ?? [];
  const failed = parts.find((part) => !part.holds(facts))?.key;
  if (failed === "effects" && source.effect === "allow") {
    const others = [...(facts.part?.named.names ?? [])].filter(
      (name) => source.effects?.includes(name) !== true,
    );
    const more = others.length === 0 ? "" : ` and not ${quoteAll(others, MAX_NAMES)}`;
    return `${does} ${requirementText(source, failed)}${more}`;
  }
  if (failed !== "command" || words === undefined)
    return `${does} ${failed === undefined ? "a call with another condition" : requirementText(source, failed)}`;
  const covering =
    source.effect === "allow" ? words.find((pattern) => pattern.allows(given, [])) : undefined;
  if (covering !== undefined) {
    const hazard = given[facts.part?.hazards[0]?.at ?? -1]?.text;
    return `${does} ${quote(covering.text)}${hazard === undefined ? "" : ` and must spell out ${quote(hazard)}`}`;
  }
  const glob = source.effect === "allow" ? leadingGlob(given) : undefined;
  const safer = glob && words.find((pattern) => pattern.allows(glob.words, []));
  if (glob !== undefined && safer !== undefined)
    return `${does} ${quote(safer.text)} if ${quote(glob.written)} is written ${quote(glob.safe)}`;
  const own = words
    .filter((pattern) => facts.part?.programs.some(({ name }) => pattern.names(name)))
    .toSorted((a, b) => sharedWords(b.text, facts) - sharedWords(a.text, facts));
  return `${does} ${quoteAll(
    own.map(({ text }) => text),
    MAX_NAMES,
  )}`;
}
