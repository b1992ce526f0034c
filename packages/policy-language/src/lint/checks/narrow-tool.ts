import { isConditional } from "../../compile/written-rule.ts";
import type { JsonObject, ToolCall } from "@bylaw/kernel";
import { weaker } from "../../compile/strictness.ts";
import type { LintCheck, LintPool, LintRule } from "../check.ts";
import { callOf, linesOf, matches, namedTools, pathsOf, shellCall } from "../sample.ts";

/** Finds denies that name one tool although other tools do the same. */
export const narrowTool: LintCheck = {
  code: "narrow_tool",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      if (
        rule.source.effect !== "deny" ||
        rule.source.shadow ||
        isConditional(rule.source) ||
        rule.shape.tools === undefined
      )
        continue;
      const ways = waysRound(rule, pool);
      const [first, ...more] = ways;
      if (first === undefined) continue;
      report(
        rule,
        ["tool"],
        `This denies \`${rule.source.tool ?? ""}\`, but ${first} does the same${more.length === 0 ? "" : `, and ${more.length} more (${more.slice(0, 4).join(", ")}${more.length > 4 ? ", …" : ""})`}`,
        adviceFor(rule),
      );
    }
  },
};

function adviceFor({ shape: { network, commands, regex, read, write } }: LintRule): string {
  if (network !== undefined) return "name all tools that open a URL";
  const said = [commands, regex, read, write].some((part) => part !== undefined);
  return said
    ? "remove `tool`: the other keys of the rule are enough"
    : "use `paths` without `tool`: it covers every tool that uses files";
}

function waysRound(rule: LintRule, pool: LintPool): readonly string[] {
  const { tools } = pool;
  const denied = (call: ToolCall): boolean =>
    matches(rule, call, tools) && pool.effectOf(call) === "deny";
  const guarded = guardedTools(pool);
  const escapes = (call: ToolCall): boolean =>
    (call.server === undefined && pool.fallback !== "deny" && !guarded(call.tool)) ||
    weaker(pool.effectOf(call), "deny");
  const [line] = linesOf(rule).filter((one) => denied(shellCall(rule, one, tools)));
  if (line !== undefined)
    return [...tools.shell.keys()]
      .filter((tool) => escapes(shellCall(rule, line, tools, tool)))
      .map((name) => `\`${name}\``);
  const [opener] = namedTools(rule, tools.network.keys());
  if (opener !== undefined && rule.shape.network !== undefined) {
    const url = `https://${(rule.shape.network[0] ?? "").replaceAll("*", "x")}/`;
    const open = (tool: string): ToolCall =>
      callOf(rule, tool, { [tools.network.get(tool) ?? "url"]: url });
    return denied(open(opener))
      ? [...tools.network.keys()].filter((tool) => escapes(open(tool))).map((name) => `\`${name}\``)
      : [];
  }
  return [
    ...new Set(
      (["write", "read"] as const).flatMap((access) =>
        fileWays(rule, access, pool, { denied, escapes }),
      ),
    ),
  ];
}

const guards = new WeakMap<LintPool, (tool: string) => boolean>();

// Whether any deny is about a tool. If not, the tool needs no samples.
function guardedTools(pool: LintPool): (tool: string) => boolean {
  let guarded = guards.get(pool);
  if (guarded === undefined) {
    const denies = pool.rules.filter(({ source }) => source.effect === "deny" && !source.shadow);
    const known = new Map<string, boolean>();
    guarded = (tool) => {
      const before = known.get(tool) ?? denies.some((rule) => namedTools(rule, [tool]).length > 0);
      known.set(tool, before);
      return before;
    };
    guards.set(pool, guarded);
  }
  return guarded;
}

interface Judge {
  readonly denied: (call: ToolCall) => boolean;
  readonly escapes: (call: ToolCall) => boolean;
}

function fileWays(
  rule: LintRule,
  access: "read" | "write",
  { tools }: LintPool,
  { denied, escapes }: Judge,
): readonly string[] {
  const able = [...tools.files].filter(
    ([, table]) =>
      (table[access] ?? []).length > 0 && (access === "read" || (table.write ?? []).length < 9),
  );
  const touch = (tool: string, path: string): ToolCall =>
    callOf(rule, tool, { [tools.files.get(tool)?.[access]?.[0] ?? "path"]: path });
  const [named] = namedTools(
    rule,
    able.map(([name]) => name),
  );
  const path =
    named === undefined
      ? undefined
      : [...pathsOf(rule, access), ...byArgument(rule)].find((one) => denied(touch(named, one)));
  if (path === undefined) return [];
  const line = access === "read" ? `cat ${path}` : `tee ${path}`;
  const shell = [...tools.shell.keys()].some((tool) =>
    escapes(callOf(rule, tool, { [tools.shell.get(tool) ?? "command"]: line })),
  );
  return [
    ...(shell ? [`the shell line \`${line}\``] : []),
    ...able.filter(([name]) => escapes(touch(name, path))).map(([name]) => `\`${name}\``),
  ];
}

// The text that a condition on an argument requires. For a file tool, it may be a path.
const byArgument = (rule: LintRule): readonly string[] =>
  Object.values(callOf(rule, "", {}).args as JsonObject).filter(
    (value): value is string => typeof value === "string",
  );
