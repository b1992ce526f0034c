import { defineExamples } from "@bylaw/testing";
import { vibecheck } from "./src/index.ts";

export const examples = defineExamples(vibecheck, [
  {
    name: "lets any step ask for oversight",
    subject: { hook: "onBehavior", action: "vibecheck", reason: "not sure of the way" },
    expect: "allow",
  },
  { name: "says nothing of a loop", subject: { hook: "onBehavior", action: "loop" }, expect: "abstain" },
  { name: "says nothing of a call while nothing is due", subject: { hook: "beforeToolCall", tool: "read_file" }, expect: "abstain" },
  {
    name: "denies a phase that wants an oversight before it",
    options: { before_phases: ["IMPL"] },
    subject: { hook: "onTransition", task: "t1", to: "IMPL" },
    expect: "deny",
    code: "vibecheck_due",
  },
]);
