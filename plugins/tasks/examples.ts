import { defineExamples } from "@bylaw/testing";
import { tasks } from "./src/index.ts";

const at = "2026-01-02T10:00:00.000Z";

export const examples = defineExamples(tasks, [
  {
    name: "denies a call for a task that was never created",
    subject: {
      hook: "beforeToolCall",
      tool: "read_files",
      args: { path: "src/a.ts" },
      task: "t1",
      agent: "ann",
      at,
    },
    expect: "deny",
    code: "task_unknown",
  },
  {
    name: "denies a transition of a task that was never created",
    subject: { hook: "onTransition", task: "t1", agent: "ann", to: "PLAN", artifacts: {}, at },
    expect: "deny",
    code: "task_unknown",
  },
  {
    name: "ignores a call for no task",
    subject: {
      hook: "beforeToolCall",
      tool: "read_files",
      args: { path: "src/a.ts" },
      agent: "ann",
      at,
    },
    expect: "abstain",
  },
  {
    name: "ignores a transition if claims are off",
    options: { claims: "off" },
    subject: { hook: "onTransition", task: "t1", agent: "ann", to: "PLAN", artifacts: {}, at },
    expect: "abstain",
  },
  {
    name: "ignores a call if claims are off",
    options: { claims: "off" },
    subject: {
      hook: "beforeToolCall",
      tool: "read_files",
      args: { path: "src/a.ts" },
      task: "t1",
      agent: "ann",
      at,
    },
    expect: "abstain",
  },
]);
