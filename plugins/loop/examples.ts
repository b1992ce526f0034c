import { defineExamples } from "@bylaw/testing";
import { loop } from "./src/index.ts";

const options = {
  order: ["plan", "code", "check"],
  loops: { check: { steps: 1, max_iterations: 3 } },
};

export const examples = defineExamples(loop, [
  {
    name: "lets a step with a loop go back",
    options,
    subject: { hook: "onBehavior", action: "loop", step: "check", reason: "two tests fail" },
    expect: "allow",
  },
  {
    name: "denies a loop to a step without one",
    options,
    subject: { hook: "onBehavior", action: "loop", step: "code" },
    expect: "deny",
    code: "loop_not_declared",
  },
  {
    name: "denies a loop from a step that the workflow does not have",
    options,
    subject: { hook: "onBehavior", action: "loop", step: "chekc" },
    expect: "deny",
    code: "loop_step_unknown",
  },
  {
    name: "denies a loop from no step",
    options,
    subject: { hook: "onBehavior", action: "loop" },
    expect: "deny",
    code: "loop_step_missing",
  },
  {
    name: "lets any step continue",
    options,
    subject: { hook: "onBehavior", action: "continue", step: "plan" },
    expect: "allow",
  },
  {
    name: "lets any step stop",
    options,
    subject: { hook: "onBehavior", action: "stop", step: "plan" },
    expect: "allow",
  },
  {
    name: "ignores a trigger",
    options,
    subject: { hook: "onBehavior", action: "trigger", step: "plan" },
    expect: "abstain",
  },
]);
