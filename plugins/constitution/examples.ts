import { defineExamples } from "@bylaw/testing";
import { constitution } from "./src/index.ts";

const rule = { rule: "Nothing is pushed today.", check: { action: "deny", command: "git push *" } };
const before = [
  { event_type: "constitution_updated", details: { by: "ann", author: "agent", ...rule } },
];

export const examples = defineExamples(constitution, [
  {
    name: "says nothing while the session has no rules",
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
    name: "leaves other agents alone where rules of agents are their own",
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
    name: "says nothing of a call that no rule is about",
    before,
    subject: { hook: "beforeToolCall", tool: "read_file", args: { path: "a.md" } },
    expect: "abstain",
  },
]);
