import type { Json, ToolCall } from "@bylaw/kernel";
import type { ConditionSource } from "../match/value-test.ts";
import { CallFacts } from "../match/call-facts.ts";
import { namesTool } from "../compile/rule-tool.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { LintRule } from "./check.ts";
import { isLiteral, sampleOf } from "./glob-cover.ts";
import { EFFECT_SAMPLES } from "./effect-samples.ts";
import { regexSample } from "./regex-sample.ts";
import type { Shape } from "./shape.ts";

const CWD = "/project";
const HOME = "/home/dev";
// Enough to try each form of a rule, so that a rule with hundreds of patterns does not take seconds.
const MAX_LINES = 12;

/** A sample shell line for a word pattern: a last `*` is left out, and other wildcards become one letter. */
export function lineOf(pattern: string): string {
  const words = pattern.split(" ");
  return (words.length > 1 && words.at(-1) === "*" ? words.slice(0, -1) : words)
    .map(sampleOf)
    .join(" ");
}

/** Sample shell lines of a rule: its own cases, and one for each pattern. */
export function linesOf(rule: LintRule): readonly string[] {
  const { shape, cases } = rule;
  if (shape.commands === undefined && shape.regex === undefined)
    return (shape.effects ?? []).flatMap((name) =>
      name === "unknown" ? [] : [EFFECT_SAMPLES[name]],
    );
  const made = [
    ...(shape.commands ?? []).map(lineOf),
    ...(shape.regex === undefined ? [] : [regexSample(shape.regex)]),
  ];
  const bare = made.filter((line) => line !== undefined);
  const paths = [...pathsOf(rule, "read"), ...pathsOf(rule, "write")].slice(0, 2);
  const lines =
    paths.length === 0 ? bare : bare.flatMap((line) => paths.map((path) => `${line} ${path}`));
  return [...new Set([...cases, ...lines])].slice(0, MAX_LINES);
}

/** The tools of a table that the `tool` of a rule matches. */
export function namedTools({ rule }: LintRule, names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => namesTool(rule, name));
}

/** A sample call that satisfies every condition of a rule except those on the tool's own arguments. */
export function callOf(
  { shape }: LintRule,
  tool: string,
  args: Readonly<Record<string, Json>>,
): ToolCall {
  const [server] = shape.servers ?? [];
  const [agent] = shape.agents ?? [];
  const [phase] = shape.phases ?? [];
  return {
    hook: "beforeToolCall",
    tool,
    args: { ...argsOf(shape), ...args },
    cwd: CWD,
    workspace: CWD,
    home: HOME,
    ...(server === undefined ? {} : { server: sampleOf(server) }),
    ...(agent === undefined ? {} : { agent: sampleOf(agent) }),
    ...(phase === undefined ? {} : { phase: sampleOf(phase) }),
    approval_mode: shape.modes?.[0] ?? "ask",
    interactive: shape.interactive ?? true,
  };
}

/** A sample call of the first shell tool that a rule is about. */
export function shellCall(
  one: LintRule,
  line: string,
  tools: ToolTable,
  tool = namedTools(one, tools.shell.keys())[0],
): ToolCall {
  const name = tool ?? [...tools.shell.keys()][0] ?? "bash";
  return callOf(one, name, { [tools.shell.get(name) ?? "command"]: line });
}

/** Whether a rule matches a call. An allow must match every command of a line, a deny only one. */
export function matches({ rule, source }: LintRule, call: ToolCall, tools: ToolTable): boolean {
  const { perCommand } = new CallFacts(call, tools);
  const holds = (facts: CallFacts): boolean => rule.matches(facts);
  return source.effect === "allow" ? perCommand.every(holds) : perCommand.some(holds);
}

/** Sample paths for the globs of a rule. */
export function pathsOf({ shape }: LintRule, access: "read" | "write"): readonly string[] {
  return [...new Set((shape[access] ?? []).map((glob) => pathSample(glob)))].slice(0, MAX_LINES);
}

function pathSample(glob: string): string {
  const segments = glob
    .split("/")
    .flatMap((part, at) =>
      part === "**"
        ? at === 0
          ? [CWD]
          : ["x"]
        : [at === 0 && part === "~" ? HOME : sampleOf(part)],
    );
  return segments.join("/");
}

function argsOf({ args }: Shape): Record<string, Json> {
  const made: Record<string, Json> = {};
  for (const [name, condition] of Object.entries(args ?? {})) {
    const value = valueOf(condition);
    if (value === undefined) continue;
    const steps = name.split(".");
    let table = made;
    for (const step of steps.slice(0, -1)) table = (table[step] ??= {}) as Record<string, Json>;
    table[steps.at(-1) ?? name] = value;
  }
  return made;
}

const OF_TYPE: Readonly<Record<string, Json>> = {
  string: "x",
  number: 1,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
  null: null,
};

function valueOf({
  eq,
  in: list,
  glob,
  regex,
  min,
  max,
  type,
  url_prefix,
  exists,
}: ConditionSource): Json | undefined {
  if (exists === false) return undefined;
  if (eq !== undefined) return eq;
  if (list !== undefined) return list[0];
  if (glob !== undefined) return sampleOf(typeof glob === "string" ? glob : (glob[0] ?? ""));
  if (regex !== undefined) return regexSample(regex) ?? "x";
  if (url_prefix !== undefined) return typeof url_prefix === "string" ? url_prefix : url_prefix[0];
  if (min !== undefined || max !== undefined) return min ?? max;
  return type === undefined ? "x" : OF_TYPE[type];
}

/** Whether every glob of a list is literal. */
export const allLiteral = (globs: readonly string[] | undefined): boolean =>
  globs?.every(isLiteral) === true;
