import { join, relative } from "node:path";
import { defineExamples } from "@bylaw/testing";
import { artifacts } from "./src/index.ts";

const options = {
  contract: relative(process.cwd(), join(import.meta.dirname, "test/fixtures/agent_workflow.yaml")),
};
const move = { hook: "onTransition", task: "t1", from: "BUILD", to: "REVIEW" } as const;
const result = { command: "npm test", exit_code: 0, passed: 3, failed: 0 };

export const examples = defineExamples(artifacts, [
  {
    name: "allows a transition with every required artifact, each fitting its schema",
    options,
    subject: { ...move, artifacts: { test_run_result: result } },
    expect: "abstain",
  },
  {
    name: "denies a transition without an artifact",
    options,
    subject: { ...move, artifacts: { test_results: result } },
    expect: "deny",
    code: "artifact_missing",
  },
  {
    name: "denies a transition with an artifact that does not fit its schema",
    options,
    subject: { ...move, artifacts: { test_run_result: { ...result, exit_code: "0" } } },
    expect: "deny",
    code: "artifact_invalid",
  },
  {
    name: "does not accept text for an artifact with a schema",
    options,
    subject: { ...move, artifacts: { test_run_result: "all green" } },
    expect: "deny",
    code: "artifact_invalid",
  },
  {
    name: "denies a transition with an artifact that breaks a rule of the contract",
    options,
    subject: { ...move, artifacts: { test_run_result: { ...result, passed: 0 } } },
    expect: "deny",
    code: "artifact_rule",
  },
  {
    name: "asks for no artifact on the way back from a rejected review",
    options,
    subject: { ...move, from: "REVIEW", to: "BUILD", artifacts: {} },
    expect: "abstain",
  },
]);
