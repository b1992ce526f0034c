import { defineExamples } from "@bylaw/testing";
import { coordinator } from "./src/index.ts";

// It guards what is recorded and taps no hook; what it refuses stands in its tests.
export const examples = defineExamples(coordinator, [
  {
    name: "says nothing of a tool call, even of one about a task that is complete",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "done" },
      task: "task-1",
    },
    expect: "abstain",
  },
  {
    name: "says nothing of a phase that a task enters",
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
