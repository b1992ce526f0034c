import type { LintCheck, LintRule } from "../check.ts";

/** An allow that draws no line. */
export const broadAllow: LintCheck = {
  code: "broad_allow",
  severity: "warning",
  finds: "an allow of every tool, every server, every host, or of writing anywhere",
  fires: `
[[rules]]
name = "trust-the-lead"
action = "allow"
tool = "*"
agent = "lead"
`,
  abstains: `
[[rules]]
name = "trust-the-lead"
action = "allow"
tool = "read_*|list_*"
agent = "lead"
`,
  check(pool, report) {
    for (const rule of pool.rules) {
      const breadth = rule.source.effect === "allow" && !rule.source.shadow ? breadthOf(rule) : undefined;
      if (breadth === undefined) continue;
      const [key, what, fix] = breadth;
      report(rule, [key], `Unexpected allow of ${what}, expected a rule that names what it allows`, fix);
    }
  },
};

const ALL = /^\*+$/;
const EVERYWHERE = /^\/?\*\*(?:\/\*)?$/;

function breadthOf({ rule, shape }: LintRule): readonly [key: string, what: string, fix: string] | undefined {
  const { servers, commands, regex, read, write, network, args, when } = shape;
  if (servers?.some((server) => ALL.test(server)) === true && args === undefined) {
    return ["server", "every MCP server", "name the servers that you trust"];
  }
  if (network?.some((host) => ALL.test(host)) === true) return ["network", "every host on the network", "name the hosts that you trust"];
  const everywhere = write?.find((glob) => EVERYWHERE.test(glob));
  if (everywhere !== undefined && commands === undefined && regex === undefined) {
    return ["paths", `writing anywhere on the machine (\`${everywhere}\`)`, "name the folders: `./**` is the workspace"];
  }
  const anyTool = rule.tools === undefined && (servers === undefined || shape.tools !== undefined);
  const narrowed = [commands, regex, read, write, network, args, when, servers].some((part) => part !== undefined);
  // An allow with no condition at all is warned about at load.
  const said =
    shape.tools === undefined && [shape.agents, shape.phases, shape.modes, shape.interactive].every((part) => part === undefined);
  if (anyTool && !narrowed && !said) {
    return [
      shape.tools === undefined ? "action" : "tool",
      "every tool",
      "name the tools, and allow commands and files by `command` and `paths`",
    ];
  }
  return undefined;
}
