import { isConditional } from "../compile/written-rule.ts";
import type { Effect, ToolCall } from "@bylaw/kernel";
import { weaker } from "../compile/strictness.ts";
import type { LintPool, LintReport, LintRule } from "./check.ts";
import { MORE, REWRITINGS, respellings } from "./rewritings.ts";
import { callOf, linesOf, matches, namedTools, pathsOf, shellCall } from "./sample.ts";

/** A call that does what a rule is about, and that the policy takes for something weaker. */
export interface Evasion {
  readonly rule: LintRule;
  /** The key of the rule that misses it. */
  readonly key: string;
  /** The rewriting, as "written with …". */
  readonly by: string;
  /** The line or path that gets round the rule. */
  readonly text: string;
  readonly effect: Effect;
}

const found = new WeakMap<LintPool, readonly Evasion[]>();

/** The evasions of every deny and ask, the first of each rewriting. Worked out once for a pool. */
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

/** Reports evasions in the words of a check. */
export function reportEvasions(evasions: readonly Evasion[], report: LintReport): void {
  for (const { rule, key, by, text, effect } of evasions) {
    const { name, effect: wanted } = rule.source;
    report(
      rule,
      [key],
      `\`${oneLine(text)}\` gets ${effect} instead of ${wanted} from rule \`${name}\`: it is the same, written with ${by}`,
      adviceFor(rule, key),
    );
  }
}

function adviceFor({ shape }: LintRule, key: string): string | undefined {
  // Every pattern is open at its end already.
  if (key === "command" && shape.commands?.every((pattern) => pattern.endsWith(" *")) === true) {
    return "Deny by `paths` what the command must not touch, or ask about the program as a whole";
  }
  return ADVICE[key];
}

const ADVICE: Readonly<Record<string, string>> = {
  command: "End the pattern with ` *`, so that further arguments change nothing",
  command_regex:
    "Write `command` instead: a word pattern of a deny matches by meaning, whatever the order and form of options",
  args: "Write `paths` instead: it compares the place, and not its spelling",
};

const oneLine = (text: string): string => text.replaceAll("\n", "\\n");

function byLine(rule: LintRule, pool: LintPool): readonly Evasion[] {
  const evasions = new Map<string, Evasion>();
  const { commands, regex } = rule.shape;
  const key =
    commands !== undefined ? "command" : regex !== undefined ? "command_regex" : "effects";
  for (const line of linesOf(rule)) {
    const call = (text: string): ToolCall => shellCall(rule, text, pool.tools);
    // An allow may be for one of the shell tools alone.
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
      // Whoever misses a known further argument hears of that.
      if (
        evasions.has(name) ||
        (appends === true && (rule.shape.regex !== undefined || evasions.has(MORE)))
      )
        continue;
      // The pool is asked only about what the rule itself misses.
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

// What the policy itself makes weaker, by a rule of a higher tier, is no evasion.
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
