import type { LintCheck } from "../check.ts";

const WHOLE = /^mcp__(?:(?!__)[^*?[])+(?:__)?\*+$|^mcp_[^*?[_]+_?\*+$/;

/** Finds allows of a whole MCP server by the prefix of its tool names. */
export const serverByPrefix: LintCheck = {
  code: "server_by_prefix",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      if (
        rule.source.effect !== "allow" ||
        rule.shape.servers !== undefined ||
        rule.shape.args !== undefined
      )
        continue;
      const whole = rule.shape.tools?.find((tool) => WHOLE.test(tool));
      if (whole === undefined) continue;
      report(
        rule,
        ["tool"],
        `\`${whole}\` allows every tool of a server, including tools that it adds later`,
        `Write \`server = "${whole.replace(/^mcp__?/, "").replace(/__?\*+$/, "")}"\` and name the tools in \`tool\``,
      );
    }
  },
};
