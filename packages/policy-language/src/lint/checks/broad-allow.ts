import { isConditional } from "../../compile/written-rule.ts";
import { EFFECT_NAMES, type EffectName } from "@bylaw/shell";
import type { ToolTable } from "../../compile/tool-table.ts";
import type { LintCheck, LintRule } from "../check.ts";
import { namedTools } from "../sample.ts";

/** Finds allows without an effective limit. */
export const broadAllow: LintCheck = {
  code: "broad_allow",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      const breadth =
        rule.source.effect === "allow" && !rule.source.shadow
          ? (ofLine(rule, pool.tools) ?? breadthOf(rule, pool.tools))
          : undefined;
      if (breadth === undefined) continue;
      const [key, what, fix] = breadth;
      report(rule, key.split("/"), `This allows ${what}`, fix);
    }
  },
};

// A pattern over the text of a line cannot limit the commands in it.
function ofLine(rule: LintRule, { shell }: ToolTable): Breadth | undefined {
  const { commands, regex, args } = rule.shape;
  if (commands !== undefined || regex !== undefined || args === undefined) return undefined;
  for (const tool of namedTools(rule, shell.keys())) {
    const argument = shell.get(tool) ?? "";
    const condition = Object.hasOwn(args, argument) ? args[argument] : undefined;
    const pattern = condition?.regex ?? condition?.glob;
    if (pattern === undefined) continue;
    const shown = typeof pattern === "string" ? pattern : pattern.join("`, `");
    const what = `every shell line whose text matches \`${shown}\`, whatever else it runs`;
    return [
      `args/${argument}`,
      what,
      "use `command` or `command_regex`: they check each command of the line",
    ];
  }
  return undefined;
}

type Breadth = readonly [key: string, what: string, fix: string];

// Effects that are already limited by files, hosts or the effects of later commands.
const BOUND: ReadonlySet<EffectName> = new Set<EffectName>([
  "reads",
  "writes",
  "moves",
  "deletes",
  "changes-repository",
  "runs-project",
  "runs-command",
]);

const ALL = /^\*+$/;
const EVERYWHERE = /^\/?\*\*(?:\/\*)?$/;

function breadthOf({ rule, shape }: LintRule, tools: ToolTable): Breadth | undefined {
  const { servers, commands, regex, effects, read, write, network, args, past } = shape;
  if (servers?.some((server) => ALL.test(server)) === true && args === undefined) {
    return ["server", "every MCP server", "name the servers that you trust"];
  }
  if (network?.some((host) => ALL.test(host)) === true)
    return ["network", "every host on the network", "name the hosts that you trust"];
  if (commands === undefined && regex === undefined) {
    const reads =
      shape.tools?.every(
        (tool) => tools.files.get(tool)?.write === undefined && tools.files.has(tool),
      ) === true;
    const writing = reads ? undefined : write?.find((glob) => EVERYWHERE.test(glob));
    const everywhere = writing ?? read?.find((glob) => EVERYWHERE.test(glob));
    if (everywhere !== undefined) {
      const what = writing === undefined ? "reading" : "writing";
      return [
        "paths",
        `${what} anywhere on the machine (\`${everywhere}\`)`,
        "name the folders: `./**` is the workspace",
      ];
    }
  }
  const open =
    commands === undefined && regex === undefined && !isConditional(rule.source)
      ? effects?.find((name) => !BOUND.has(name) && (name !== "network" || network === undefined))
      : undefined;
  if (open !== undefined) {
    const what = `every command that ${EFFECT_NAMES[open]} (\`${open}\`)`;
    return ["effects", what, "name the programs in `command`, or the hosts in `network`"];
  }
  const anyTool = rule.tools === undefined && (servers === undefined || shape.tools !== undefined);
  const narrowed = [
    commands,
    regex,
    effects,
    read,
    write,
    network,
    args,
    shape.when,
    past,
    servers,
  ].some((part) => part !== undefined);
  // An allow without any condition already gets a warning when the file loads.
  const said =
    shape.tools === undefined &&
    [shape.agents, shape.phases, shape.modes, shape.interactive].every(
      (part) => part === undefined,
    );
  if (anyTool && !narrowed && !said) {
    return [
      shape.tools === undefined ? "action" : "tool",
      "every tool",
      "name the tools, and allow commands and files by `command` and `paths`",
    ];
  }
  return undefined;
}
