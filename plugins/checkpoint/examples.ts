import { defineExamples } from "@bylaw/testing";
import { checkpoint } from "./src/index.ts";

export const examples = defineExamples(checkpoint, [
  {
    name: "lets a step pause its workflow",
    subject: { hook: "onBehavior", action: "checkpoint", reason: "the migration needs a person's eye" },
    expect: "allow",
  },
  {
    name: "denies a pause to a step that may not",
    options: { steps: ["deploy"] },
    subject: { hook: "onBehavior", action: "checkpoint", step: "plan" },
    expect: "deny",
    code: "checkpoint_step",
  },
  { name: "says nothing of a loop", subject: { hook: "onBehavior", action: "loop" }, expect: "abstain" },
  { name: "says nothing of a call while nothing is paused", subject: { hook: "beforeToolCall", tool: "read_file" }, expect: "abstain" },
]);
