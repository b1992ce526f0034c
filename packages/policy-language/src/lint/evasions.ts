import { isConditional } from "../compile/written-rule.ts";
import type { Effect, ToolCall } from "@bylaw/kernel";
import { weaker } from "../compile/strictness.ts";
import type { LintPool, LintReport, LintRule } from "./check.ts";
import { BEFORE_OPTIONS, MORE, REWRITINGS, respellings } from "./rewritings.ts";
import { callOf, linesOf, matches, namedTools, pathsOf, shellCall } from "./sample.ts";

/** A call that does what a rule forbids, but gets a weaker effect. */
export interface Evasion {
  readonly rule: LintRule;
  /** The key of the rule that fails to match it. */
  readonly key: string;
  /** The rewriting. Completes "written with …". */
  readonly by: string;
  /** The line or path that evades the rule. */
  readonly text: string;
  readonly effect: Effect;
}

const found = new WeakMap<LintPool, readonly Evasion[]>();

/** Finds evasions of every deny and ask: the first for each rewriting. Computed once per pool. */
export function evasionsOf(pool: LintPool): readonly Evasion[] {
  let evasions = found.get(pool);
  if (evasions === undefined) {
    const strict = pool.rules.filter(
      ({ source }) => source.effect !== "allow" && !source.shadow && !isConditional(source),
    );
    found.set(
      pool,
      (evasions = strict.flatMap((rule) => [...byLine(rule, pool), ...byPath(rule, pool)])),
    );
  }
  return evasions;
}

/** Reports evasions as findings of a check. */
export function reportEvasions(evasions: readonly Evasion[], report: LintReport): void {
  for (const evasion of evasions) {
    const { rule, key, by, text, effect } = evasion;
    const { name, effect: wanted } = rule.source;
    report(
      rule,
      [key],
      `\`${oneLine(text)}\` gets ${effect} instead of ${wanted} from rule \`${name}\`: it does the same, but is written with ${by}`,
      adviceFor(rule, evasion),
    );
  }
}

function adviceFor({ shape }: LintRule, { key, by }: Evasion): string | undefined {
  if (by === BEFORE_OPTIONS)
    return "Leave out the `*` before an option: it is exactly one argument, and an option matches in any place";
  // Every pattern already allows further arguments.
  if (key === "command" && shape.commands?.every((pattern) => pattern.endsWith(" *")) === true) {
    return "Deny the files that the command must not touch with `paths`, or ask about the whole program";
  }
  return ADVICE[key];
}

const ADVICE: Readonly<Record<string, string>> = {
  command: "End the pattern with ` *`, so that it also matches further arguments",
  command_regex:
    "Write `command` instead: a word pattern of a deny matches options in any order and form",
  args: "Write `paths` instead: it compares the file, not the spelling of its path",
};

const oneLine = (text: string): string => text.replaceAll("\n", "\\n");

function byLine(rule: LintRule, pool: LintPool): readonly Evasion[] {
  const evasions = new Map<string, Evasion>();
  const { commands, regex } = rule.shape;
  const key =
    commands !== undefined ? "command" : regex !== undefined ? "command_regex" : "effects";
  for (const line of linesOf(rule)) {
    const call = (text: string): ToolCall => shellCall(rule, text, pool.tools);
    // An allow may cover only one of the shell tools.
    const tools = namedTools(rule, pool.tools.shell.keys());
    const calls = (text: string): readonly ToolCall[] =>
      tools.map((tool) => shellCall(rule, text, pool.tools, tool));
    if (!matches(rule, call(line), pool.tools)) continue;
    let base: boolean | undefined;
    const ways = [
      ...REWRITINGS.map(({ name, appends, rewrite }) => ({ name, appends, text: rewrite(line) })),
      ...respellings(line).map((one) => ({ ...one, appends: undefined })),
    ];
    for (const { name, appends, text } of ways) {
      // A rule that misses one known additional argument already gets a finding for that.
      if (
        evasions.has(name) ||
        (appends === true && (rule.shape.regex !== undefined || evasions.has(MORE)))
      )
        continue;
      // Evaluate the whole pool only if the rule itself misses the line.
      if (text === undefined || matches(rule, call(text), pool.tools)) continue;
      const effect = calls(text)
        .map((one) => pool.effectOf(one))
        .reduce((one, other) => (weaker(other, one) ? other : one), rule.source.effect);
      if (!weaker(effect, rule.source.effect)) continue;
      base ??= calls(line).every((one) => holds(rule, one, pool));
      if (base) evasions.set(name, { rule, key, by: name, text, effect });
    }
  }
  return [...evasions.values()];
}

// A weaker effect that a rule of a higher tier gives on purpose is no evasion.
const holds = (rule: LintRule, call: ToolCall, pool: LintPool): boolean =>
  matches(rule, call, pool.tools) && !weaker(pool.effectOf(call), rule.source.effect);

const SPELLINGS: readonly { readonly name: string; readonly rewrite: (path: string) => string }[] =
  [
    { name: "a dot in the path", rewrite: (path) => path.replace(/^(\/?)/, "$1./") },
    { name: "`..` in the path", rewrite: (path) => path.replace(/^(\/?)/, "$1x/../") },
    {
      name: "a doubled slash",
      rewrite: (path) => (path.includes("/") ? path.replace("/", "//") : `.//${path}`),
    },
  ];

function byPath(rule: LintRule, pool: LintPool): readonly Evasion[] {
  const { args } = rule.shape;
  if (args === undefined && rule.shape.read === undefined && rule.shape.write === undefined)
    return [];
  const evasions: Evasion[] = [];
  const [tool] = namedTools(rule, pool.tools.files.keys());
  const table = tool === undefined ? undefined : pool.tools.files.get(tool);
  if (tool === undefined || table === undefined) return [];
  for (const access of ["read", "write"] as const) {
    const argument = (table[access] ?? []).find(
      (name) => args === undefined || Object.hasOwn(args, name),
    );
    if (argument === undefined) continue;
    const call = (path: string): ToolCall => callOf(rule, tool, { [argument]: path });
    const made = callOf(rule, tool, {}).args as Readonly<Record<string, unknown>>;
    const paths =
      args === undefined
        ? pathsOf(rule, access)
        : typeof made[argument] === "string"
          ? [made[argument]]
          : [];
    for (const path of paths.filter((one) => holds(rule, call(one), pool))) {
      for (const { name, rewrite } of SPELLINGS) {
        const text = rewrite(path);
        const effect = pool.effectOf(call(text));
        if (weaker(effect, rule.source.effect) && !evasions.some(({ by }) => by === name)) {
          evasions.push({
            rule,
            key: args === undefined ? "paths" : "args",
            by: name,
            text,
            effect,
          });
        }
      }
    }
  }
  return evasions;
}
