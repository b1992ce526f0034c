import type { LintCheck } from "../check.ts";
import { needs } from "./impossible-rule.ts";

const KEYS: Readonly<Record<string, string>> = {
  tool: "tool",
  server: "server",
  agent: "agent",
  phase: "phase",
  approval_mode: "modes",
  interactive: "interactive",
};

/** Finds conditions in `when` that a key of the rule can express. */
export const plainWhen: LintCheck = {
  code: "plain_when",
  severity: "info",
  check(pool, report) {
    for (const rule of pool.rules) {
      for (const leaf of needs(rule.shape.when)) {
        if (!("fact" in leaf) || (leaf.operator !== "equal" && leaf.operator !== "in")) continue;
        const key = KEYS[leaf.fact];
        if (key === undefined) continue;
        report(
          rule,
          ["when"],
          `\`${leaf.fact}\` in \`when\` is slower than the key \`${key}\`, which means the same`,
          `Write \`${key} = ${JSON.stringify(leaf.value)}\` and remove the comparison`,
        );
      }
    }
  },
};
