import { defineExamples } from "@bylaw/testing";
import { checkpoint } from "./src/index.ts";

const before = [
  {
    event_type: "behavior_applied",
    task_id: "t1",
    agent_id: "ann",
    details: { action: "checkpoint", directive: { action: "checkpoint" } },
  },
];

export const examples = defineExamples(checkpoint, [
  {
    name: "lets a step pause its workflow",
    subject: {
      hook: "onBehavior",
      action: "checkpoint",
      reason: "the migration needs a person's eye",
    },
    expect: "allow",
  },
  {
    name: "denies a pause to a step that may not pause",
    options: { steps: ["deploy"] },
    subject: { hook: "onBehavior", action: "checkpoint", step: "plan" },
    expect: "deny",
    code: "checkpoint_step",
  },
  { name: "ignores a loop", subject: { hook: "onBehavior", action: "loop" }, expect: "abstain" },
  {
    name: "allows a call while nothing is paused",
    subject: { hook: "beforeToolCall", tool: "read_file" },
    expect: "abstain",
  },
  {
    name: "denies a call of a task that is paused",
    before,
    subject: { hook: "beforeToolCall", tool: "read_file", task: "t1" },
    expect: "deny",
    code: "checkpoint_paused",
  },
  {
    name: "denies a transition of a task that is paused",
    before,
    subject: { hook: "onTransition", task: "t1", to: "DONE" },
    expect: "deny",
    code: "checkpoint_paused",
  },
  {
    name: "ignores another task",
    before,
    subject: { hook: "onTransition", task: "t2", to: "DONE" },
    expect: "abstain",
  },
]);
