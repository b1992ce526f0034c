import { defineExamples } from "@bylaw/testing";
import { consensus } from "./src/index.ts";

const over = { round_time_over: true };

export const examples = defineExamples(consensus, [
  {
    name: "denies a call after the round's time is over",
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
    name: "allows a call that ends the turn, however late",
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
    name: "allows a call within the time",
    subject: {
      hook: "beforeToolCall",
      agent: "ann",
      tool: "read_file",
      args: { path: "notes.md" },
    },
    expect: "abstain",
  },
  {
    name: "allows the tools in its options",
    options: { last_tools: ["submit"] },
    subject: { hook: "beforeToolCall", agent: "ann", tool: "submit", args: {}, host: over },
    expect: "abstain",
  },
]);
