import type { Effect } from "@bylaw/kernel";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { requirementText } from "./missed-part.ts";

/** What no rule covers, and what the rule that came nearest is about. */
export interface NearMiss {
  /** The command of the line, or the tool, that no rule covers. */
  readonly uncovered: string;
  /** The line, where it has other commands too. */
  readonly line?: string;
  /** Such as "allows `git status *`". Left out where the rule is about something else altogether. */
  readonly about?: string;
}

interface Nearest {
  readonly rule: Rule;
  readonly told: NearMiss;
}

const VERB: Readonly<Record<Effect, string>> = {
  allow: "allows",
  ask_user: "asks about",
  deny: "denies",
};

/** Finds the first command of a line that no rule covers, and the rule that came nearest to it. `holds`: whether its condition does. */
export function nearestRule(
  rules: readonly Rule[],
  parts: readonly CallFacts[],
  holds: (rule: Rule) => boolean,
): Nearest | undefined {
  const live = rules.filter(({ source }) => !source.shadow);
  const open = parts.find(
    (facts) =>
      facts.part?.suspect !== true && !live.some((rule) => rule.matches(facts) && holds(rule)),
  );
  if (open === undefined) return undefined;
  const [first] = live
    .map((rule) => ({ rule, near: nearnessOf(rule, open) }))
    .toSorted((a, b) => b.near - a.near);
  if (first === undefined) return undefined;
  const { rule, near } = first;
  const line = parts.length > 1 ? lineOf(open) : undefined;
  const told = {
    uncovered: open.part?.text ?? open.call.tool,
    ...(line === undefined ? {} : { line }),
    ...(near === 0 ? {} : { about: aboutOf(rule, open) }),
  };
  return { rule, told };
}

function lineOf({ args, tools, identity }: CallFacts): string | undefined {
  const line = args?.[tools.shell.get(identity.bare) ?? ""];
  return typeof line === "string" ? line : undefined;
}

// 0: it is about another tool or program. An allow is nearer than a rule that would only be stricter.
function nearnessOf(rule: Rule, facts: CallFacts): number {
  const failed = rule.parts.findIndex((part) => !part.holds(facts));
  const held = failed < 0 ? rule.parts.length : failed;
  const { words, regex, source, tools } = rule;
  const isRelated =
    facts.part === null
      ? tools !== undefined && failed > 0
      : (words?.some((pattern) => facts.part?.programs.some(({ name }) => pattern.names(name))) ??
          regex?.prefixes.some((prefix) => startsAlike(prefix, facts))) === true;
  return isRelated ? 1 + 2 * held + (source.effect === "allow" ? 1 : 0) : 0;
}

const startsAlike = (prefix: string, { part }: CallFacts): boolean =>
  prefix !== "" &&
  part?.programs.some(({ name }) => name === prefix || prefix.startsWith(`${name} `)) === true;

const MOST = 3;

function aboutOf({ source, parts, words }: Rule, facts: CallFacts): string {
  const names = facts.part?.programs.map(({ name }) => name) ?? [];
  const isOwn = (pattern: string): boolean => names.some((name) => pattern.startsWith(name));
  const commands = source.command?.filter(isOwn) ?? [];
  const failed = parts.find((part) => !part.holds(facts))?.key;
  const about =
    words !== undefined && commands.length > 0
      ? commands.slice(0, MOST).map((text) => `\`${text}\``)
      : [failed === undefined ? "a call with another condition" : requirementText(source, failed)];
  const more = commands.length > MOST ? ` and ${commands.length - MOST} more` : "";
  return `${VERB[source.effect]} ${about.join(", ")}${more}`;
}
