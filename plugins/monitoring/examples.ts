import { join, relative } from "node:path";
import { defineExamples } from "@bylaw/testing";
import { monitoring } from "./src/index.ts";

const contract = relative(
  process.cwd(),
  join(import.meta.dirname, "test/fixtures/agent_workflow.yaml"),
);

export const examples = defineExamples(monitoring, [
  {
    name: "ignores a transition: it measures what others decide",
    options: { contract },
    subject: { hook: "onTransition", task: "t1", from: "PLAN", to: "BUILD", artifacts: {} },
    expect: "abstain",
  },
  {
    name: "ignores a tool call",
    options: { contract },
    subject: {
      hook: "beforeToolCall",
      task: "t1",
      phase: "PLAN",
      tool: "read_files",
      args: { path: "src/a.ts" },
    },
    expect: "abstain",
  },
]);
