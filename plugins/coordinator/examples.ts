import { defineExamples } from "@bylaw/testing";
import { coordinator } from "./src/index.ts";

// It guards the record and taps no hook. Its refusals are covered by its tests.
export const examples = defineExamples(coordinator, [
  {
    name: "ignores a tool call, even one about a complete task",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "done" },
      task: "task-1",
    },
    expect: "abstain",
  },
  {
    name: "ignores a transition between phases",
    subject: {
      hook: "onTransition",
      task: "task-1",
      from: "IMPLEMENT",
      to: "REVIEW",
      artifacts: {},
    },
    expect: "abstain",
  },
]);
