import { isConditional } from "../../compile/written-rule.ts";
import { baseName } from "../../compile/program-name.ts";
import type { LintCheck, LintPool, LintReport, LintRule } from "../check.ts";
import { wordsOf } from "../cover.ts";
import { isLiteral } from "../glob-cover.ts";
import { REACH, type Reach } from "../reach.ts";
import { matches, namedTools, shellCall } from "../sample.ts";

/** Finds allows of programs that can do anything, depending on their arguments. */
export const runsAnything: LintCheck = {
  code: "runs_anything",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      const { effect, shadow, tool } = rule.source;
      if (effect !== "allow" || shadow || isConditional(rule.source)) continue;
      if (rule.shape.commands !== undefined) byPatterns(rule, pool, report);
      else if (rule.shape.regex !== undefined || (tool !== undefined && isShell(rule, pool)))
        byLines(rule, pool, report);
    }
  },
};

const isShell = (rule: LintRule, { tools }: LintPool): boolean =>
  namedTools(rule, tools.shell.keys()).length > 0;

const covers = (rule: LintRule, { line }: Reach, { tools }: LintPool): boolean =>
  matches(rule, shellCall(rule, line, tools), tools);

function byPatterns(rule: LintRule, pool: LintPool, report: LintReport): void {
  const { commands = [] } = rule.shape;
  for (const [at, pattern] of commands.entries()) {
    const { words } = wordsOf(pattern);
    const [program = ""] = words;
    const lines = isLiteral(program) ? (REACH.get(baseName(program)) ?? []) : [];
    // The author intended every word that the rule spells out.
    const hit = lines.find((reach) => words.length <= (reach.at ?? 1) && covers(rule, reach, pool));
    if (hit === undefined) continue;
    const listed = commands.length > 1 && rule.source.command?.length === commands.length;
    report(
      rule,
      listed ? ["command", at] : ["command"],
      `Allowing \`${pattern}\` also allows \`${hit.line}\`, which ${hit.does}`,
      "Write one pattern for each subcommand or script that you want to allow",
    );
  }
}

function byLines(rule: LintRule, pool: LintPool, report: LintReport): void {
  const hits = [...REACH.values()].flat().filter((reach) => covers(rule, reach, pool));
  const [first] = hits;
  if (first === undefined) return;
  const { command_regex: regex, tool } = rule.source;
  const more = hits.length === 1 ? "" : `, and ${hits.length - 1} more of the tested lines`;
  report(
    rule,
    [regex === undefined ? "tool" : "command_regex"],
    `Allowing \`${regex ?? tool ?? ""}\` also allows \`${first.line}\`, which ${first.does}${more}`,
    "Name the commands that you want to allow in `command`",
  );
}
