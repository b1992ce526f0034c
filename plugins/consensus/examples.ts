import { defineExamples } from "@bylaw/testing";
import { consensus } from "./src/index.ts";

const over = { round_time_over: true };

export const examples = defineExamples(consensus, [
  {
    name: "denies a call after the time of a round",
    subject: {
      hook: "beforeToolCall",
      agent: "ann",
      tool: "read_file",
      args: { path: "notes.md" },
      host: over,
    },
    expect: "deny",
    code: "round_time_over",
  },
  {
    name: "says nothing of a call that ends the turn, however late",
    subject: {
      hook: "beforeToolCall",
      agent: "ann",
      tool: "vote",
      args: { agent_id: "agent2" },
      host: over,
    },
    expect: "abstain",
  },
  {
    name: "says nothing of a call in time",
    subject: {
      hook: "beforeToolCall",
      agent: "ann",
      tool: "read_file",
      args: { path: "notes.md" },
    },
    expect: "abstain",
  },
  {
    name: "lets the tools pass that its options name",
    options: { last_tools: ["submit"] },
    subject: { hook: "beforeToolCall", agent: "ann", tool: "submit", args: {}, host: over },
    expect: "abstain",
  },
]);
