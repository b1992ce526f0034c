import { join, relative } from "node:path";
import { defineExamples } from "@bylaw/testing";
import { gates } from "./src/index.ts";

const folder = relative(process.cwd(), join(import.meta.dirname, "test/fixtures"));
const options = { contract: join(folder, "agent_workflow.yaml"), workspace: folder };
const move = { hook: "onTransition", task: "t1", from: "PLAN", to: "TDD" } as const;
const scope = {
  in_scope: ["src/**"],
  out_of_scope: ["lib/**"],
  constraints: ["no new dependency"],
};
const plan = {
  acceptance_criteria: [{ criterion: "It greets by name", how_to_verify: "run the tests" }],
};

export const examples = defineExamples(gates, [
  {
    name: "describes what a check did not find",
    options,
    subject: {
      ...move,
      artifacts: { plan_document: { acceptance_criteria: [] }, scope_definition: scope },
    },
    expect: "deny",
    code: "gate_blocked",
    rule: "PLAN.gates.plan_approval.plan_has_acceptance_criteria",
  },
  {
    name: "waits for approvers once every check passes",
    options,
    subject: { ...move, artifacts: { plan_document: plan, scope_definition: scope } },
    expect: "deny",
    code: "gate_pending",
  },
  {
    name: "does not accept an agent's word for a test run",
    options,
    subject: {
      ...move,
      from: "IMPL",
      to: "REVIEW",
      artifacts: { test_run_result: { exit_code: 0, passed: 9, failed: 0, skipped: 0 } },
    },
    expect: "deny",
    code: "gate_blocked",
    rule: "IMPL.gates.tests_passing.all_tests_pass",
  },
  {
    name: "opens the way back only after the gate said no",
    options,
    subject: { ...move, from: "REVIEW", to: "IMPL", artifacts: {} },
    expect: "deny",
    code: "gate_not_rejected",
  },
  {
    name: "opens it for a review with findings",
    options,
    subject: {
      ...move,
      from: "REVIEW",
      to: "IMPL",
      artifacts: { review_report: { reviews: {}, blocking_issues: ["it leaks"] } },
    },
    expect: "abstain",
  },
  {
    name: "ignores a transition that the contract does not have",
    options,
    subject: { ...move, to: "REVIEW", artifacts: {} },
    expect: "abstain",
  },
]);
