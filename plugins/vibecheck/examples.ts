import { defineExamples } from "@bylaw/testing";
import { vibecheck } from "./src/index.ts";

const verdict = { risk: 0.8, advice: "The plan drops a table.", traits: [], uncertainties: [] };
const before = [
  { event_type: "oversight_given", task_id: "t1", details: { by: "second-model", verdict } },
];

export const examples = defineExamples(vibecheck, [
  {
    name: "lets any step ask for oversight",
    subject: { hook: "onBehavior", action: "vibecheck", reason: "not sure of the way" },
    expect: "allow",
  },
  { name: "ignores a loop", subject: { hook: "onBehavior", action: "loop" }, expect: "abstain" },
  {
    name: "allows a call while nothing is due",
    subject: { hook: "beforeToolCall", tool: "read_file" },
    expect: "abstain",
  },
  {
    name: "denies a phase that needs an oversight before it",
    options: { before_phases: ["IMPL"] },
    subject: { hook: "onTransition", task: "t1", to: "IMPL" },
    expect: "deny",
    code: "vibecheck_due",
  },
  {
    name: "asks before each call of a task with a high risk",
    before,
    subject: { hook: "beforeToolCall", tool: "read_file", task: "t1" },
    expect: "ask_user",
    code: "vibecheck_risk",
  },
  {
    name: "allows a phase to be entered after an oversight",
    options: { before_phases: ["IMPL"] },
    before,
    subject: { hook: "onTransition", task: "t1", to: "IMPL" },
    expect: "abstain",
  },
]);
