import { defineExamples } from "@bylaw/testing";
import { otel } from "./src/index.ts";

export const examples = defineExamples(otel, [
  {
    name: "ignores a tool call: it reports what others decide",
    subject: { hook: "beforeToolCall", tool: "write_file", args: { path: "notes.md" } },
    expect: "abstain",
  },
  {
    name: "ignores a transition",
    subject: { hook: "onTransition", from: "PLAN", to: "BUILD" },
    expect: "abstain",
  },
]);
