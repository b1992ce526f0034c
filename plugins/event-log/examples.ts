import { defineExamples } from "@bylaw/testing";
import { eventLog } from "./src/index.ts";

export const examples = defineExamples(eventLog, [
  {
    name: "ignores a tool call: it records what others decide",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "the door is red" },
    },
    expect: "abstain",
  },
  {
    name: "ignores a call with a secret, but keeps the secret out of the log",
    options: { redact: { paths: ["args.password"] } },
    subject: { hook: "beforeToolCall", tool: "login", args: { password: "red" } },
    expect: "abstain",
  },
  {
    name: "ignores a transition",
    options: { rotate: { daily: true } },
    subject: { hook: "onTransition", from: "PLAN", to: "BUILD" },
    expect: "abstain",
  },
]);
