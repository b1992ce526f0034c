import type { Effect } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { requirementText } from "./missed-part.ts";

/** What no rule covers: a command of a line, or the call; with the rule that came nearest to it, if one is related. */
interface NearMiss {
  readonly open: CallFacts;
  readonly rule: Rule | undefined;
}

const VERB: Readonly<Record<Effect, string>> = {
  allow: "allows",
  ask_user: "asks about",
  deny: "denies",
};

// A line of more commands is not searched for one that no rule covers.
const MOST_PARTS = 50;

/** Finds the first command of a line that no rule covers, and the rule that came nearest to it. `holds`: whether its condition does. */
export function nearestRule(
  rules: readonly Rule[],
  parts: readonly CallFacts[],
  holds: (rule: Rule) => boolean,
): NearMiss | undefined {
  if (parts.length > MOST_PARTS) return undefined;
  const live = rules.filter(({ source }) => !source.shadow);
  const open = parts.find(
    (facts) =>
      facts.part?.suspect !== true && !live.some((rule) => rule.matches(facts) && holds(rule)),
  );
  if (open === undefined) return undefined;
  let rule: Rule | undefined;
  let nearest = 0;
  for (const one of live) {
    const near = nearnessOf(one, open);
    if (near > nearest) [rule, nearest] = [one, near];
  }
  return { open, rule };
}

/** Says what no rule covers, and what the rule that came nearest is about. */
export function unmatchedReason({ open, rule }: NearMiss): string {
  const line = lineOf(open);
  const command = open.part?.text;
  const uncovered =
    command === undefined ? `this call of ${quote(open.call.tool)}` : quote(command);
  const inLine =
    command === undefined || line === undefined || line === command ? "" : ` in ${quote(line)}`;
  const closest =
    rule === undefined ? "" : `. Closest: \`${rule.source.name}\`, which ${aboutOf(rule, open)}`;
  return `No rule covers ${uncovered}${inLine}${closest}`;
}

function lineOf({ args, tools, identity }: CallFacts): string | undefined {
  const line = args?.[tools.shell.get(identity.bare) ?? ""];
  return typeof line === "string" ? line : undefined;
}

// 0: it is about another tool or program. A rule about the program itself is nearer than one about a word of it, and an allow is nearer
// than a rule that would only be stricter.
function nearnessOf(rule: Rule, facts: CallFacts): number {
  const { words, regex, source, tools } = rule;
  const { part } = facts;
  const failedAt = (): number => rule.parts.findIndex((one) => !one.holds(facts));
  const [own, ...others] = part?.programs ?? [];
  const names = (name: string): boolean =>
    words?.some((pattern) => pattern.names(name)) ??
    regex?.prefixes.some((prefix) => startsAlike(prefix, name)) === true;
  const isOwn = part === null ? tools !== undefined && failedAt() !== 0 : names(own?.name ?? "");
  if (!isOwn && !others.some(({ name }) => names(name))) return 0;
  const failed = failedAt();
  const held = failed < 0 ? rule.parts.length : failed;
  return (isOwn ? 100 : 0) + 1 + 2 * held + (source.effect === "allow" ? 1 : 0);
}

const startsAlike = (prefix: string, name: string): boolean =>
  prefix !== "" && (name === prefix || prefix.startsWith(`${name} `));

const MOST = 3;

function aboutOf({ source, parts, words }: Rule, facts: CallFacts): string {
  const does = VERB[source.effect];
  const given = facts.part?.words ?? [];
  const failed = parts.find((part) => !part.holds(facts))?.key;
  if (failed !== "command" || words === undefined)
    return `${does} ${failed === undefined ? "a call with another condition" : requirementText(source, failed)}`;
  const covering =
    source.effect === "allow" ? words.find((pattern) => pattern.allows(given, [])) : undefined;
  if (covering !== undefined) {
    const hazard = given[facts.part?.hazards[0]?.at ?? -1]?.text;
    return `${does} ${quote(covering.text)}${hazard === undefined ? "" : ` and must spell out ${quote(hazard)}`}`;
  }
  const alike = ({ text }: { readonly text: string }): number => {
    const differs = text.split(" ").findIndex((word, at) => word !== given[at]?.text);
    return differs < 0 ? given.length : differs;
  };
  const own = words
    .filter((pattern) => facts.part?.programs.some(({ name }) => pattern.names(name)))
    .toSorted((a, b) => alike(b) - alike(a));
  return `${does} ${quoteAll(
    own.map(({ text }) => text),
    MOST,
  )}`;
}
