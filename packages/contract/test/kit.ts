import { readFileSync } from "node:fs";
import {
  lintContract,
  migrateContract,
  type ContractFinding,
  type ContractOptions,
  type ProposedTests,
} from "../src/index.ts";
import { expect } from "vitest";

/** The original contract, as it is. */
export const ORIGINAL_FILE = `${import.meta.dirname}/fixtures/agent_workflow.yaml`;
export const ORIGINAL = readFileSync(ORIGINAL_FILE, "utf8");

/** How the tests of a project run that the original is migrated for. */
export const TESTS: ProposedTests = {
  argv: ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"],
  format: "junit",
  report: "report.xml",
  source: "package.json",
};

/** The original after its migration. */
export const MIGRATED = migrateContract(ORIGINAL, "agent_workflow.yaml", { testCommand: TESTS });

/** A contract of the newest form without a finding. */
export const CLEAN = `bylaw: 1
name: Small
version: "1.0"
tools: [deploy]
checks:
  plan_has_title:
    passes_when: { fact: artifacts, path: "$.plan_document.title", operator: notEqual, value: "" }
phases:
  - id: PLAN
    name: Plan
    required_artifacts:
      - type: plan_document
        schema: plan
        validation:
          - rule: has_acceptance_criteria
            message: Say what is accepted
    gates:
      - id: plan_approval
        type: approval
        approvers: [human]
        blockers:
          - check: plan_has_acceptance_criteria
            message: Say what is accepted
          - check: plan_has_title
            message: Say what it is
    allowed_tools: [read_files, grep]
    forbidden_tools: [bash]
  - id: BUILD
    name: Build
    required_artifacts:
      - type: test_run_result
    gates:
      - id: built
        blockers:
          - check: all_tests_pass
            message: All tests pass
          - check: coverage_threshold_met
            threshold: 80
            severity: warning
            message: Cover more
    allowed_tools: [write_files, edit_files, bash, read_files]
    forbidden_tools: [git_commit]
    tool_constraints:
      write_files: { allowed_patterns: ["src/**"], forbidden_patterns: [".git/**"] }
      edit_files: { allowed_patterns: ["src/**"], forbidden_patterns: [".git/**"] }
      bash: { allowed_commands: [npm test], forbidden_commands: [git] }
  - id: REVIEW
    name: Review
    required_artifacts:
      - type: review_report
    gates:
      - id: reviewed
        type: approval
        approvers: [human]
        blockers:
          - check: no_blocking_issues
            message: Mend what blocks
          - check: all_review_models_completed
            required_reviews: [security]
            message: All reviews
    allowed_tools: [read_files]
    auto_spawn:
      - agent_type: review
        models: [security, quality]
  - id: DONE
    name: Done
    allowed_tools: [git_commit]
transitions:
  - { from: PLAN, to: BUILD, gate: plan_approval }
  - { from: BUILD, to: REVIEW, gate: built }
  - { from: REVIEW, to: DONE, gate: reviewed }
  - { from: REVIEW, to: BUILD, gate: reviewed, when: rejected }
test_command: { argv: [npm, test], format: junit }
enforcement:
  mode: strict
  agent_sdk: { endpoint: "http://localhost:8000/api/v1" }
  phase_tokens: { enabled: true, expiry_seconds: 7200 }
  tool_enforcement: { enabled: true, violation_action: reject }
schemas:
  plan:
    type: object
    required: [title]
    properties:
      title: { type: string, minLength: 1 }
monitoring:
  alerts:
    - { condition: "gate_block_rate > 50%", action: notify_human, message: Look }
`;

/** A text with one part replaced, which has to be there. */
export function changed(
  text: string,
  ...edits: readonly (readonly [from: string, to: string])[]
): string {
  return edits.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, () => to);
  }, text);
}

/** The findings of a text. */
export const findingsIn = (
  text: string | Uint8Array,
  options: ContractOptions = {},
): readonly ContractFinding[] => lintContract(text, "c.yaml", options).findings;

/** `severity code` of each. */
export const brief = (findings: readonly ContractFinding[]): readonly string[] =>
  findings.map(({ severity, code }) => `${severity} ${code}`);

/** What stands where a finding points. */
export const pointed = (text: string, { line, column }: ContractFinding): string =>
  (text.split(/\r?\n/)[line - 1] ?? "").slice(column - 1);
