import { defineExamples } from "@bylaw/testing";
import { constitution } from "./src/index.ts";

export const examples = defineExamples(constitution, [
  {
    name: "says nothing while the session has no rules",
    subject: { hook: "beforeToolCall", tool: "bash", args: { command: "git push --force" } },
    expect: "abstain",
  },
]);
