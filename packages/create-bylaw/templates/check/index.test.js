import { describe, it } from "node:test";
import { defineExamples, describeExamples } from "@bylaw/testing";
import { IDENTIFIER } from "./index.js";

const review = (change) => ({
  hook: "onTransition",
  task: "task-1",
  from: "BUILD",
  to: "REVIEW",
  artifacts: { change },
});

const examples = defineExamples(IDENTIFIER, [
  {
    name: "denies a change without a changelog entry",
    subject: review({ files_changed: ["src/a.ts"] }),
    expect: "deny",
  },
  {
    name: "does not object to a change with one",
    subject: review({ files_changed: ["src/a.ts", "CHANGELOG.md"] }),
    expect: "abstain",
  },
  {
    name: "denies an artifact that it cannot read",
    subject: review({ files_changed: "none" }),
    expect: "deny",
  },
]);

describeExamples(examples, { describe, it });
