import { isConditional } from "../compile/written-rule.ts";
import type { Effect, Json } from "@bylaw/kernel";
import type { ConditionSource } from "../match/value-test.ts";
import { weaker } from "../compile/strictness.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { LintRule } from "./check.ts";
import { memoize } from "./memoize.ts";
import { globCovers, listCovers, pathCovers } from "./glob-cover.ts";
import { lineOf, matches, shellCall } from "./sample.ts";
import type { Shape } from "./shape.ts";

/** Whether rule `b` never decides a call that rule `a` also matches. */
export function outranks(a: LintRule, b: LintRule): boolean {
  if (a.source.shadow || b.source.shadow || a === b) return false;
  const above = a.rank > b.rank || (a.rank === b.rank && isBefore(a, b));
  if (!b.source.final) return above;
  // No higher rule overrides a final rule, unless it is final too and at least as strict.
  return above && a.source.final && !weaker(a.source.effect, b.source.effect);
}

function isBefore({ source: a }: LintRule, { source: b }: LintRule): boolean {
  if (a.name !== b.name) return a.name < b.name;
  return a.file === b.file ? a.line < b.line : a.file < b.file;
}

/**
 * Whether rule `a` matches every call that rule `b` matches, or the subset of them that `shape` describes. Returns
 * false in doubt. An allow matches less than a deny with the same words, so it never covers a deny.
 */
export function covers(a: LintRule, b: LintRule, shape: Shape, tools: ToolTable): boolean {
  if (a.source.effect === "allow" && b.source.effect !== "allow") return false;
  const outer = a.shape;
  return (
    argsCover(outer.args, shape.args) &&
    listCovers(outer.agents, shape.agents) &&
    listCovers(outer.phases, shape.phases) &&
    subset(outer.modes, shape.modes) &&
    (outer.input === undefined || outer.input === shape.input) &&
    (outer.gitIgnored === undefined || outer.gitIgnored === shape.gitIgnored) &&
    (outer.interactive === undefined || outer.interactive === shape.interactive) &&
    listCovers(outer.network, shape.network) &&
    effectsCover(outer, shape, a.source.effect) &&
    pathsCover(a, b, shape) &&
    toolsCover(a, outer, shape, tools) &&
    (!isConditional(a.source) ||
      (a.source.effect === b.source.effect &&
        same(outer.when, shape.when) &&
        same(outer.past, shape.past))) &&
    commandsCover(a, b, shape, tools)
  );
}

function toolsCover(a: LintRule, outer: Shape, inner: Shape, tools: ToolTable): boolean {
  if (outer.servers !== undefined && !listCovers(outer.servers, inner.servers)) return false;
  if (outer.tools === undefined) {
    // An allow without `tool`, or about commands, covers only certain tools.
    return a.source.effect !== "allow" || inner.tools === undefined || outer.servers !== undefined;
  }
  const named = inner.tools ?? (isAboutLines(inner) ? [...tools.shell.keys()] : undefined);
  if (named === undefined || (outer.servers === undefined) !== (inner.servers === undefined))
    return false;
  return named.every(
    (name) =>
      outer.tools?.some((glob) => toolCovers(glob, name, a.source.effect === "allow")) === true,
  );
}

const isAboutLines = ({ commands, regex, effects }: Shape): boolean =>
  [commands, regex, effects].some((about) => about !== undefined);

// For an allow, a prefixed MCP name is split into server and tool, so only a glob with the same server certainly covers it.
function toolCovers(outer: string, inner: string, allow: boolean): boolean {
  if (!globCovers(outer, inner)) return false;
  if (
    !allow ||
    outer === inner ||
    (!inner.startsWith("mcp_") && !/^[*?[]|^m[*?[]|^mc[*?[]|^mcp[*?[]/.test(inner))
  )
    return true;
  const server = /^mcp__[A-Za-z0-9-]+__/.exec(inner)?.[0];
  return server !== undefined && outer.startsWith(server);
}

function subset<T>(outer: readonly T[] | undefined, inner: readonly T[] | undefined): boolean {
  return outer === undefined || inner?.every((item) => outer.includes(item)) === true;
}

function pathsCover(
  { shape: outer, source }: LintRule,
  { source: { effect } }: LintRule,
  inner: Shape,
): boolean {
  if (outer.read === undefined && outer.write === undefined) return true;
  if (inner.read === undefined && inner.write === undefined) return false;
  // An allow of commands also covers commands that touch no file.
  if (effect === "allow" && source.effect !== "allow" && isAboutLines(inner)) return false;
  // A deny of `folder/name` also protects the folder, but a deny of `**/name` does not, so neither covers the other.
  const guards = (one: string, glob: string): boolean =>
    effect === "allow" || one.startsWith("**") === glob.startsWith("**");
  return (["read", "write"] as const).every(
    (access) =>
      inner[access]?.every(
        (glob) => outer[access]?.some((one) => guards(one, glob) && pathCovers(one, glob)) === true,
      ) !== false,
  );
}

// An allow without `command` covers no redirection, but an allow with `effects` may.
function effectsCover(outer: Shape, inner: Shape, effect: Effect): boolean {
  if (outer.effects === undefined) return effect !== "allow" || inner.effects === undefined;
  return subset(outer.effects, inner.effects);
}

function argsCover(outer: Shape["args"], inner: Shape["args"]): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  return Object.entries(outer).every(([name, condition]) => {
    const other = Object.hasOwn(inner, name) ? inner[name] : undefined;
    return other !== undefined && conditionCovers(condition, other);
  });
}

function conditionCovers(outer: ConditionSource, inner: ConditionSource): boolean {
  if (same(outer, inner)) return true;
  const values = (one: ConditionSource): readonly Json[] | undefined =>
    one.eq === undefined ? one.in : [one.eq];
  return Object.entries(outer).every(([key, value]) => {
    if (value === undefined) return true;
    const other = inner[key as keyof ConditionSource];
    if (same(value, other)) return true;
    const given = values(inner);
    switch (key) {
      case "eq":
      case "in":
        return (
          given?.every((item) => (values(outer) ?? []).some((one) => same(one, item))) === true
        );
      case "glob": {
        const globs = typeof value === "string" ? [value] : (value as readonly string[]);
        if (globs.some((glob) => /[{}]/.test(glob))) return false;
        return (
          given?.every(
            (item) =>
              typeof item === "string" &&
              globs.some((glob) => globCovers(glob, item.replaceAll(/[*?[\\]/g, "\\$&"))),
          ) === true
        );
      }
      case "min":
        return typeof other === "number" && other >= Number(value);
      case "max":
        return typeof other === "number" && other <= Number(value);
      case "exists":
        return value === true && inner.exists === undefined && inner.not === undefined;
      default:
        return false;
    }
  });
}

function commandsCover(a: LintRule, b: LintRule, inner: Shape, tools: ToolTable): boolean {
  const outer = a.shape;
  const allow = a.source.effect === "allow";
  if (outer.regex !== undefined && outer.regex !== inner.regex) return false;
  if (outer.commands === undefined) {
    // An allow without `command` covers only commands whose effects are about its files and hosts.
    if (allow && outer.regex === undefined && !aboutCovers(outer, inner)) return false;
    if (!allow || inner.commands === undefined) return true;
  } else if (
    inner.commands?.every(
      (pattern) => outer.commands?.some((one) => wordsCover(one, pattern, allow)) === true,
    ) !== true
  )
    return false;
  // A word that the other allow spells out may do more than this allow covers. Matching sample lines finds that out.
  return (
    !allow ||
    (inner.commands ?? []).every((pattern) =>
      matches(a, shellCall(b, lineOf(pattern), tools), tools),
    )
  );
}

function aboutCovers(outer: Shape, inner: Shape): boolean {
  const files = (one: Shape): boolean => one.read !== undefined || one.write !== undefined;
  const hosts = (one: Shape): boolean => one.network !== undefined;
  if (!files(outer) && !hosts(outer)) return true;
  return !isAboutLines(inner) && (files(outer) || !files(inner)) && (hosts(outer) || !hosts(inner));
}

function wordsCover(outer: string, inner: string, allow: boolean): boolean {
  if (outer === inner) return true;
  const { words: a, open } = wordsOf(outer);
  const { words: b, open: more } = wordsOf(inner);
  if (allow) {
    if (open ? b.length < a.length : more || b.length !== a.length) return false;
    return a.every((word, at) => globCovers(word, b[at] ?? ""));
  }
  // A deny finds options at any position, and its operands at the start.
  if (!open || a.includes("--") || b.includes("--") || !globCovers(a[0] ?? "", b[0] ?? ""))
    return false;
  const [options, operands] = parted(a);
  const [given, others] = parted(b);
  return (
    options.every((option) => given.includes(option)) &&
    operands.length <= others.length &&
    operands.every((word, at) => globCovers(word, others[at] ?? ""))
  );
}

/** Splits a pattern into words, and tells whether more words may follow. */
export const wordsOf: (pattern: string) => {
  readonly words: readonly string[];
  readonly open: boolean;
} = memoize((pattern) => {
  const words = pattern.split(" ");
  const open = words.length > 1 && words.at(-1) === "*";
  return { words: open ? words.slice(0, -1) : words, open };
});

function parted([, ...words]: readonly string[]): readonly [readonly string[], readonly string[]] {
  const isOption = (word: string): boolean => /^-./.test(word);
  return [words.filter(isOption), words.filter((word) => !isOption(word))];
}

export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);
}
