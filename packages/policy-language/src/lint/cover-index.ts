import type { Json } from "@bylaw/kernel";
import type { ConditionSource } from "../match/value-test.ts";
import type { LintRule } from "./check.ts";
import { wordsOf } from "./cover.ts";
import { isLiteral, literalPrefix, pathSegments } from "./glob-cover.ts";
import type { Shape } from "./shape.ts";

/** Finds the rules that could cover another rule, without comparing every pair. */
export interface CoverIndex {
  /** Returns every rule that could cover a shape, and some others. */
  candidates(shape: Shape, shellTools: Iterable<string>): Iterable<LintRule>;
}

/** Indexes rules by tool and by one other condition. */
export function indexCovers(rules: readonly LintRule[]): CoverIndex {
  const byTool = new Map<string, Map<string, LintRule[]>>();
  for (const rule of rules) {
    for (const tool of toolKeys(rule.shape)) {
      let below = byTool.get(tool);
      if (below === undefined) byTool.set(tool, (below = new Map()));
      for (const key of otherKeys(rule.shape)) {
        const list = below.get(key);
        if (list === undefined) below.set(key, [rule]);
        else if (list.at(-1) !== rule) list.push(rule);
      }
    }
  }
  return {
    *candidates(shape, shellTools) {
      const others = otherProbes(shape);
      for (const tool of toolProbes(shape, shellTools)) {
        const below = byTool.get(tool);
        if (below === undefined) continue;
        for (const key of others) yield* below.get(key) ?? [];
      }
    },
  };
}

const ANY = "*";
// Longer prefixes separate no more rules.
const MAX_LEAD = 32;

function toolKeys({ tools }: Shape): readonly string[] {
  if (tools === undefined) return [ANY];
  return [...new Set(tools.map(nameKey))];
}

// A rule that covers another covers its first alternative.
function toolProbes(
  { tools, commands, regex, effects }: Shape,
  shellTools: Iterable<string>,
): readonly string[] {
  const ofLines = [commands, regex, effects].some((about) => about !== undefined);
  const [first] = tools ?? (ofLines ? shellTools : []);
  if (first === undefined) return [ANY];
  return [ANY, ...nameProbes(first)];
}

// A literal name is its own key. A glob is keyed by its first letters.
const nameKey = (name: string): string =>
  isLiteral(name) ? `=${literalPrefix(name)}` : `^${literalPrefix(name).slice(0, MAX_LEAD)}`;

function nameProbes(name: string): readonly string[] {
  const lead = literalPrefix(name);
  const starts = Array.from(
    { length: Math.min(lead.length, MAX_LEAD) + 1 },
    (_, length) => `^${lead.slice(0, length)}`,
  );
  return [`=${lead}`, ...starts];
}

// The keys of the one other condition that best separates a rule from others.
function otherKeys({
  commands,
  args,
  read,
  write,
  network,
  agents,
  phases,
}: Shape): readonly string[] {
  if (commands !== undefined) return commands.map(commandKey);
  const conditions = Object.entries(args ?? {});
  for (const [name, { eq, in: list }] of conditions) {
    const values: readonly Json[] | undefined = eq === undefined ? list : [eq];
    if (values !== undefined) return values.map((value) => valueKey(name, value));
  }
  for (const [name, { glob }] of conditions) {
    if (glob !== undefined)
      return (typeof glob === "string" ? [glob] : glob).map((one) =>
        globKey(name, literalPrefix(one)),
      );
  }
  for (const [name, condition] of conditions) return [valueKey(name, otherText(condition))];
  if (read !== undefined || write !== undefined) {
    return [...(read ?? []), ...(write ?? [])].map((glob) => `p${folderOf(glob).join("/")}`);
  }
  for (const [mark, list] of [
    ["n", network],
    ["g", agents],
    ["h", phases],
  ] as const) {
    if (list !== undefined) return list.map((item) => mark + nameKey(item));
  }
  return [""];
}

// Every key that a covering rule could have.
function otherProbes({
  commands,
  args,
  read,
  write,
  network,
  agents,
  phases,
}: Shape): readonly string[] {
  const probes = ["", "c"];
  const [pattern] = commands ?? [];
  if (pattern !== undefined) {
    probes.push(`d${pattern}`);
    const [program = "", second = ""] = wordsOf(pattern).words;
    if (isLiteral(program)) probes.push(`c${program}`, `c${program} ${second}`);
  }
  for (const [name, condition] of Object.entries(args ?? {})) {
    const { glob } = condition;
    const value = condition.eq ?? condition.in?.[0];
    if (value !== undefined) probes.push(valueKey(name, value));
    probes.push(valueKey(name, undefined), valueKey(name, otherText(condition)));
    for (const text of [value, glob].flat()) {
      if (typeof text !== "string") continue;
      for (let length = 0; length <= Math.min(text.length, MAX_LEAD); length++)
        probes.push(globKey(name, text.slice(0, length)));
    }
  }
  const [glob] = read ?? write ?? [];
  if (glob !== undefined) {
    const folder = folderOf(glob);
    for (let length = 0; length <= folder.length; length++)
      probes.push(`p${folder.slice(0, length).join("/")}`);
  }
  for (const [mark, list] of [
    ["n", network],
    ["g", agents],
    ["h", phases],
  ] as const) {
    const [first] = list ?? [];
    if (first !== undefined) probes.push(...nameProbes(first).map((probe) => mark + probe));
  }
  return [...new Set(probes)];
}

const otherText = ({ regex, url_prefix: prefix }: ConditionSource): string | undefined =>
  regex ?? prefix?.toString();

const globKey = (name: string, lead: string): string => `b${name}=${lead.slice(0, MAX_LEAD)}`;

const valueKey = (name: string, value: Json | undefined): string =>
  `a${name}=${JSON.stringify(value)}`;

// A word without a star covers only itself.
function commandKey(pattern: string): string {
  const { words, open } = wordsOf(pattern);
  const [program = "", second] = words;
  if (!open && words.every(isLiteral)) return `d${pattern}`;
  if (!isLiteral(program)) return "c";
  return second === undefined || second.startsWith("-") || !isLiteral(second)
    ? `c${program}`
    : `c${program} ${second}`;
}

function folderOf(glob: string): readonly string[] {
  const segments = pathSegments(glob);
  const end = segments.findIndex((segment) => segment === "**" || !isLiteral(segment));
  return end < 0 ? segments : segments.slice(0, end);
}
