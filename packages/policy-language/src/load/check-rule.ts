import { JSON_LIMITS, type Effect, type JsonObject } from "@bylaw/kernel";
import { quote } from "./finding.ts";
import type { Rule, RuleComplaint, RuleSource } from "../compile/rule.ts";
import { isConditional } from "../compile/written-rule.ts";
import { namesTool } from "../compile/rule-tool.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** Reports combinations that are wrong although each key is right: rules that never match, and conditions that cannot be enforced. */
export function checkRule(
  rule: Rule,
  raw: { readonly paths?: unknown },
  tools: ToolTable,
  error: RuleComplaint,
  warn: RuleComplaint,
): void {
  const { source } = rule;
  checkEffect(source, error, warn);
  checkNames(rule, error);
  checkTools(rule, tools, error);
  if (source.effect === "allow" && source.effects?.includes("unknown") === true) {
    error(
      ["effects"],
      "An allow cannot list `unknown`: an unknown effect could be anything",
      "Remove `unknown`",
    );
  }
  if (source.args !== undefined && Object.keys(source.args).length === 0) {
    error(["args"], "`args` is empty. Write at least one condition");
  }
  if (raw.paths !== undefined && (source.read ?? source.write) === undefined) {
    error(["paths"], "`paths` is empty. Write `read`, `write` or both");
  }
  const open =
    rule.parts.length === 0 ||
    (source.tool === undefined &&
      rule.parts.every(
        ({ key }) => key === "tool" || (key === "command" && source.command === undefined),
      ));
  if (open && source.effect === "allow" && !isConditional(source)) {
    warn(["action"], "This rule allows every tool", "Add `tool`, `command` or `paths`");
  }
}

// Reports what does not go with the effect of the rule.
function checkEffect(source: RuleSource, error: RuleComplaint, warn: RuleComplaint): void {
  const allows = source.effect === "allow";
  if (source.final && allows) {
    error(
      ["final"],
      "Only a deny or an ask_user rule can be `final`",
      "Remove `final`, or raise the `priority`",
    );
  }
  for (const key of ["overrides", "input", "git_ignored"] as const)
    if (source[key] !== undefined && !allows)
      error([key], `Only an allow can have \`${key}\``, `Remove \`${key}\``);
  if (source.instead !== undefined) checkInstead(source.effect, source.instead, error);
  if (source.final && source.shadow && !allows) {
    warn(["final"], "`final` has no effect on a rule in shadow");
  }
}

// Reports conditions that no tool of the rule can meet.
function checkTools(rule: Rule, tools: ToolTable, error: RuleComplaint): void {
  const { source } = rule;
  const allows = source.effect === "allow";
  const matchesOne = (...tables: readonly ReadonlyMap<string, unknown>[]): boolean =>
    tables.some((table) => [...table.keys()].some((name) => namesTool(rule, name)));
  for (const key of ["command", "command_regex", "effects", "input", "git_ignored"] as const) {
    if (source[key] === undefined || matchesOne(tools.shell)) continue;
    error(
      [key],
      `\`${key}\` needs a tool that runs a shell line, and ${quote(source.tool ?? "")} does not`,
      `Use one of ${[...tools.shell.keys()].join(", ")}, or name the tool in the option \`tools\``,
    );
  }
  // A deny or an ask with `network` covers URLs in any argument of any tool except the text that a file tool writes.
  const opensUrls = (): boolean =>
    allows ? matchesOne(tools.network, tools.shell) : !onlyFiles(rule, tools);
  if (source.network !== undefined && !opensUrls()) {
    error(
      ["network"],
      `\`network\` needs a tool that opens a URL or runs a shell line, and ${quote(source.tool ?? "")} does neither`,
      `Use one of ${[...tools.network.keys()].join(", ")}, or name the tool in the option \`tools\``,
    );
  }
  const dependsOnPaths = allows && (source.read ?? source.write) !== undefined;
  if (!dependsOnPaths || source.tool === undefined || rule.servers !== undefined) return;
  if (!matchesOne(tools.files, tools.shell)) {
    error(
      ["paths"],
      `The path arguments of ${quote(source.tool)} are not known, so an allow cannot depend on \`paths\``,
      "Name the tool's path arguments in the option `tools`",
    );
  }
}

function checkInstead(effect: Effect, instead: JsonObject, error: RuleComplaint): void {
  if (effect === "allow")
    error(["instead"], "Only a deny or an ask_user rule can have `instead`", "Remove `instead`");
  if (Object.keys(instead).length === 0)
    error(["instead"], "`instead` is empty. Give at least one argument a new value");
  if (JSON.stringify(instead).length > JSON_LIMITS.instead)
    error(["instead"], `\`instead\` is longer than ${JSON_LIMITS.instead} characters of JSON`);
}

function onlyFiles({ tools: patterns }: Rule, { files, network }: ToolTable): boolean {
  return (
    patterns?.every(
      ({ glob: { literal } }) =>
        literal !== undefined && files.has(literal) && !network.has(literal),
    ) === true
  );
}

function checkNames({ source, tools, servers }: Rule, error: RuleComplaint): void {
  const names =
    tools?.map(({ glob }) => glob.source) ??
    (source.tool === undefined ? [] : source.tool.split("|"));
  for (const [key, list] of [
    ["tool", names],
    ["server", servers?.map((glob) => glob.source) ?? []],
  ] as const) {
    const blank = list.find((name) => name !== name.trim());
    if (blank === undefined) continue;
    error(
      [key],
      `${quote(blank)} in \`${key}\` begins or ends with a space`,
      `Write ${quote(blank.trim())}`,
    );
  }
  const ambiguous =
    source.effect === "allow" ? tools?.find((pattern) => pattern.ambiguous) : undefined;
  if (ambiguous !== undefined) {
    error(
      ["tool"],
      `${quote(ambiguous.glob.source)} can be split into server and tool in several ways, so an allow cannot use it`,
      "Add `server = …`, and write the tool's own name in `tool`",
    );
  }
}
