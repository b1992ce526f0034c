import { defineExamples } from "@bylaw/testing";
import { constitution } from "./src/index.ts";

const rule = { rule: "Nothing is pushed today.", check: { action: "deny", command: "git push *" } };
const before = [
  { event_type: "constitution_updated", details: { by: "ann", author: "agent", ...rule } },
];

export const examples = defineExamples(constitution, [
  {
    name: "allows everything while the session has no rules",
    subject: { hook: "beforeToolCall", tool: "bash", args: { command: "git push --force" } },
    expect: "abstain",
  },
  {
    name: "denies what a rule of the session denies",
    before,
    subject: { hook: "beforeToolCall", tool: "bash", args: { command: "git push --force" } },
    expect: "deny",
    code: "rule_denied",
  },
  {
    name: "does not bind other agents when each agent has its own rules",
    options: { agent_rules: "own" },
    before,
    subject: {
      hook: "beforeToolCall",
      tool: "bash",
      args: { command: "git push --force" },
      agent: "bob",
    },
    expect: "abstain",
  },
  {
    name: "allows a call that no rule is about",
    before,
    subject: { hook: "beforeToolCall", tool: "read_file", args: { path: "a.md" } },
    expect: "abstain",
  },
]);
