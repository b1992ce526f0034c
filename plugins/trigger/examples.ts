import { defineExamples } from "@bylaw/testing";
import { trigger } from "./src/index.ts";

const options = { agents: ["coder", "reviewer"], steps: { check: "reviewer" } };

export const examples = defineExamples(trigger, [
  {
    name: "lets a step call a known agent",
    options,
    subject: {
      hook: "onBehavior",
      action: "trigger",
      agent: "coder",
      step: "code",
      trigger_agent_id: "reviewer",
    },
    expect: "allow",
  },
  {
    name: "calls the step's default agent if none is named",
    options,
    subject: { hook: "onBehavior", action: "trigger", agent: "coder", step: "check" },
    expect: "allow",
  },
  {
    name: "denies a trigger without an agent",
    options,
    subject: { hook: "onBehavior", action: "trigger", agent: "coder", step: "code" },
    expect: "deny",
    code: "trigger_agent_missing",
  },
  {
    name: "denies an unknown agent",
    options,
    subject: { hook: "onBehavior", action: "trigger", agent: "coder", trigger_agent_id: "reviwer" },
    expect: "deny",
    code: "trigger_agent_unknown",
  },
  {
    name: "denies an agent that calls itself",
    options,
    subject: { hook: "onBehavior", action: "trigger", agent: "coder", trigger_agent_id: "coder" },
    expect: "deny",
    code: "trigger_cycle",
  },
  {
    name: "ignores a loop",
    options,
    subject: { hook: "onBehavior", action: "loop", step: "check" },
    expect: "abstain",
  },
]);
