import { defineExamples } from "@bylaw/testing";
import { status } from "./src/index.ts";

export const examples = defineExamples(status, [
  {
    name: "ignores a response: it shows what others decide",
    subject: { hook: "onEnforcement", text: "I think we are done", tool_calls: [] },
    expect: "abstain",
  },
  {
    name: "ignores a tool call, wherever its file is",
    options: { file: "logs/{run}/status.json", keep: 1_000 },
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "the door is red" },
    },
    expect: "abstain",
  },
]);
