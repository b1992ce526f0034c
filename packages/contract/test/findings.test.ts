import { FINDING_CODES, type FindingCode } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { brief, changed, CLEAN, findingsIn, pointed } from "./kit.ts";

interface Case {
  readonly code: FindingCode;
  readonly when: string;
  /** What is replaced in the clean contract, so that the finding is there. */
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** What stands where it points. */
  readonly at: string;
  /** A near miss: what is replaced without the finding. */
  readonly miss: readonly (readonly [from: string, to: string])[];
}

const WAY_ON = "{ from: REVIEW, to: DONE, gate: reviewed }";
const WAY_BACK = "  - { from: REVIEW, to: BUILD, gate: reviewed, when: rejected }\n";
const CASES: readonly Case[] = [
  {
    code: "contract_text",
    when: "the text is blank",
    edits: [[CLEAN, " \n\t\n"]],
    at: "",
    miss: [[CLEAN, `\ufeff${CLEAN}`]],
  },
  {
    code: "contract_yaml",
    when: "a bracket stays open",
    edits: [["[read_files, grep]", "[read_files, grep"]],
    at: "forbidden_tools",
    miss: [["name: Small", "name: Small # [a"]],
  },
  {
    code: "duplicate_key",
    when: "a key stands twice",
    edits: [["name: Small", "name: Small\nname: Large"]],
    at: "name: Large",
    miss: [],
  },
  {
    code: "unknown_key",
    when: "a key is misspelt",
    edits: [["allowed_tools: [read_files]", "allowd_tools: [read_files]"]],
    at: "allowd_tools",
    miss: [],
  },
  {
    code: "missing_key",
    when: "a phase has no name",
    edits: [["    name: Build\n", ""]],
    at: "id: BUILD",
    miss: [],
  },
  {
    code: "wrong_value",
    when: "a mode is misspelt",
    edits: [["mode: strict", "mode: strct"]],
    at: "strct",
    miss: [
      ["mode: strict", "mode: advisory"],
      ["violation_action: reject", "violation_action: log"],
    ],
  },
  {
    code: "new_key",
    when: "`bylaw: 1` is left out",
    edits: [["bylaw: 1\n", ""]],
    at: "tools: [deploy]",
    miss: [],
  },
  {
    code: "duplicate_phase",
    when: "an id stands twice",
    edits: [["id: REVIEW\n    name: Review", "id: BUILD\n    name: Review"]],
    at: "BUILD",
    miss: [],
  },
  {
    code: "reserved_phase",
    when: "a phase has the name of what tasks enter that complete",
    edits: [
      ["id: DONE", 'id: "@completed"'],
      ["to: DONE", 'to: "@completed"'],
    ],
    at: '"@completed"',
    miss: [
      ["id: DONE", "id: completed"],
      ["to: DONE", "to: completed"],
    ],
  },
  {
    code: "duplicate_gate",
    when: "two phases share a gate id",
    edits: [["id: built", "id: reviewed"]],
    at: "reviewed",
    miss: [],
  },
  {
    code: "duplicate_transition",
    when: "a transition stands twice",
    edits: [[WAY_BACK, WAY_BACK + WAY_BACK]],
    at: "{ from",
    miss: [],
  },
  {
    code: "duplicate_artifact",
    when: "a phase requires one twice",
    edits: [["- type: review_report\n", "- type: review_report\n      - type: review_report\n"]],
    at: "review_report",
    miss: [["- type: review_report\n", "- type: review_report\n      - type: other\n"]],
  },
  {
    code: "duplicate_check",
    when: "a gate asks one twice",
    edits: [
      ["check: plan_has_title", "check: plan_has_acceptance_criteria"],
      [
        "          - rule: has_acc",
        "          - rule: plan_has_title\n            message: Title\n          - rule: has_acc",
      ],
    ],
    at: "plan_has_acceptance_criteria",
    miss: [],
  },
  {
    code: "duplicate_entry",
    when: "a tool stands twice in a list",
    edits: [["[read_files, grep]", "[read_files, grep, grep]"]],
    at: "grep]",
    miss: [["[read_files, grep]", "[read_files, grep, glob]"]],
  },
  {
    code: "unknown_phase",
    when: "a transition leads nowhere",
    edits: [["to: BUILD, gate: plan", "to: BUIL, gate: plan"]],
    at: "BUIL,",
    miss: [],
  },
  {
    code: "unknown_gate",
    when: "a transition names no gate that is there",
    edits: [["gate: built", "gate: build"]],
    at: "build }",
    miss: [],
  },
  {
    code: "unknown_check",
    when: "nothing implements a check",
    edits: [["check: all_tests_pass", "check: all_test_pass"]],
    at: "all_test_pass",
    miss: [["check: all_tests_pass", "check: no_skipped_tests"]],
  },
  {
    code: "unknown_rule",
    when: "nothing implements a rule",
    edits: [["rule: has_acceptance_criteria", "rule: has_criteria_of_taste"]],
    at: "has_criteria_of_taste",
    miss: [["rule: has_acceptance_criteria", "rule: has_summary"]],
  },
  {
    code: "unknown_tool",
    when: "a tool is not known",
    edits: [["[git_commit]\ntrans", "[git_comit]\ntrans"]],
    at: "git_comit",
    miss: [["[git_commit]\ntrans", "[git_commit, deploy]\ntrans"]],
  },
  {
    code: "unknown_schema",
    when: "a schema is neither inline nor a file",
    edits: [["schema: plan", "schema: plans"]],
    at: "plans",
    miss: [["schema: plan", "schema: schemas/plan"]],
  },
  {
    code: "unreachable_phase",
    when: "no transition leads to a phase",
    edits: [[WAY_ON, "{ from: REVIEW, to: BUILD, gate: reviewed }"]],
    at: "DONE",
    miss: [],
  },
  {
    code: "phase_without_end",
    when: "a circle has no way out",
    edits: [["from: REVIEW, to: DONE", "from: PLAN, to: DONE"]],
    at: "BUILD",
    miss: [],
  },
  {
    code: "no_end",
    when: "every phase has a way out",
    edits: [[WAY_BACK, `${WAY_BACK}  - { from: DONE, to: PLAN }\n`]],
    at: "id: PLAN",
    miss: [],
  },
  {
    code: "several_ends",
    when: "a transition was lost",
    edits: [
      [
        "- { from: REVIEW, to: DONE, gate: reviewed }\n" + WAY_BACK,
        "- { from: BUILD, to: DONE, gate: built }\n",
      ],
    ],
    at: "REVIEW",
    miss: [],
  },
  {
    code: "self_transition",
    when: "a transition leads to where it begins",
    edits: [[WAY_BACK, `${WAY_BACK}  - { from: BUILD, to: BUILD, gate: built }\n`]],
    at: "{ from: BUILD, to: BUILD",
    miss: [],
  },
  {
    code: "no_way_back",
    when: "a rejected review leads nowhere",
    edits: [[WAY_BACK, ""]],
    at: WAY_ON,
    miss: [[WAY_BACK, "  - { from: REVIEW, to: PLAN }\n"]],
  },
  {
    code: "unused_gate",
    when: "no transition asks a gate",
    edits: [["to: REVIEW, gate: built", "to: REVIEW"]],
    at: "built",
    miss: [],
  },
  {
    code: "gate_elsewhere",
    when: "a gate belongs to another phase",
    edits: [["to: REVIEW, gate: built", "to: REVIEW, gate: reviewed"]],
    at: "reviewed }",
    miss: [],
  },
  {
    code: "ungated_transition",
    when: "the way onwards has no gate",
    edits: [["to: REVIEW, gate: built", "to: REVIEW"]],
    at: "{ from: BUILD",
    miss: [[WAY_BACK, "  - { from: REVIEW, to: BUILD }\n"]],
  },
  {
    code: "rejection_without_gate",
    when: "a rejection names no gate",
    edits: [[", gate: reviewed, when: rejected", ", when: rejected"]],
    at: "{ from: REVIEW, to: BUILD",
    miss: [],
  },
  {
    code: "tool_conflict",
    when: "a tool is both allowed and forbidden",
    edits: [["forbidden_tools: [bash]", "forbidden_tools: [grep]"]],
    at: "grep]",
    miss: [],
  },
  {
    code: "constraint_unused",
    when: "a constrained tool is not allowed",
    edits: [["bash: { allowed_commands", "git_commit: { allowed_commands"]],
    at: "git_commit: {",
    miss: [],
  },
  {
    code: "constraint_kind",
    when: "a shell is held to patterns",
    edits: [["bash: { allowed_commands: [npm test]", "bash: { allowed_patterns: [npm test]"]],
    at: "allowed_patterns",
    miss: [],
  },
  {
    code: "constraint_conflict",
    when: "a command is both allowed and forbidden",
    edits: [["allowed_commands: [npm test]", "allowed_commands: [npm test, git]"]],
    at: "git], forbidden",
    miss: [],
  },
  {
    code: "constraint_gap",
    when: "one of two writing tools is bound",
    edits: [
      ['      edit_files: { allowed_patterns: ["src/**"], forbidden_patterns: [".git/**"] }\n', ""],
    ],
    at: "write_files: {",
    miss: [
      ["[write_files, edit_files, bash, read_files]", "[write_files, bash, read_files]"],
      ['      edit_files: { allowed_patterns: ["src/**"], forbidden_patterns: [".git/**"] }\n', ""],
    ],
  },
  {
    code: "work_after_review",
    when: "an end lets files be changed",
    edits: [["allowed_tools: [git_commit]\ntrans", "allowed_tools: [git_commit, bash]\ntrans"]],
    at: "bash]",
    miss: [
      [
        "allowed_tools: [git_commit]\ntrans",
        "allowed_tools: [git_commit, bash]\n    tool_constraints: { bash: { allowed_commands: [git commit] } }\ntrans",
      ],
    ],
  },
  {
    code: "artifact_not_required",
    when: "a way around skips the artifact",
    edits: [["type: review_report", "type: review_report_2"]],
    at: "no_blocking_issues",
    miss: [["type: review_report", "type: review_report\n      - type: other"]],
  },
  {
    code: "artifact_impossible",
    when: "no tool can run the tests",
    edits: [
      ["[write_files, edit_files, bash, read_files]", "[write_files, edit_files, read_files]"],
      ["      bash: { allowed_commands: [npm test], forbidden_commands: [git] }\n", ""],
    ],
    at: "test_run_result",
    miss: [
      ["[write_files, edit_files, bash, read_files]", "[write_files, edit_files, read_files]"],
      ["      bash: { allowed_commands: [npm test], forbidden_commands: [git] }\n", ""],
      ["tools: [deploy]", "tools: [deploy]\ntest_command: { argv: [npm, test], format: tap }"],
    ],
  },
  {
    code: "artifact_impossible",
    when: "no value fits a schema",
    edits: [["minLength: 1 }", "minLength: 9, maxLength: 3 }"]],
    at: "title: {",
    miss: [
      ["required: [title]", "required: []"],
      ["minLength: 1 }", "minLength: 9, maxLength: 3 }"],
    ],
  },
  {
    code: "review_impossible",
    when: "nobody makes a required review",
    edits: [["required_reviews: [security]", "required_reviews: [security, taste]"]],
    at: "taste]",
    miss: [["required_reviews: [security]", "required_reviews: [security, quality]"]],
  },
  {
    code: "schema_invalid",
    when: "a keyword is misspelt",
    edits: [["required: [title]", "requried: [title]"]],
    at: "requried",
    miss: [["required: [title]", "description: A plan"]],
  },
  {
    code: "unused_schema",
    when: "no artifact has a schema",
    edits: [["        schema: plan\n", ""]],
    at: "plan:",
    miss: [],
  },
  {
    code: "unused_check",
    when: "nothing names a declared check",
    edits: [["          - check: plan_has_title\n            message: Say what it is\n", ""]],
    at: "plan_has_title",
    miss: [],
  },
  {
    code: "parameter_unused",
    when: "a check does not take a threshold",
    edits: [["check: all_tests_pass\n", "check: all_tests_pass\n            threshold: 80\n"]],
    at: "80",
    miss: [],
  },
  {
    code: "parameter_missing",
    when: "coverage has no threshold",
    edits: [["            threshold: 80\n", ""]],
    at: "check: coverage",
    miss: [],
  },
  {
    code: "empty_gate",
    when: "a gate checks nothing",
    edits: [
      [
        "          - check: all_tests_pass\n            message: All tests pass\n          - check: coverage_threshold_met\n            threshold: 80\n            severity: warning\n            message: Cover more\n",
        "",
      ],
      ["- id: built\n        blockers:\n", "- id: built\n"],
    ],
    at: "id: built",
    miss: [],
  },
  {
    code: "approval_without_approvers",
    when: "nobody may approve",
    edits: [
      [
        "type: approval\n        approvers: [human]\n        blockers:\n          - check: plan",
        "type: approval\n        blockers:\n          - check: plan",
      ],
    ],
    at: "id: plan_approval",
    miss: [],
  },
  {
    code: "approval_conflict",
    when: "an approval advances by itself",
    edits: [["approvers: [human]\n", "approvers: [human]\n        auto_advance: true\n"]],
    at: "true",
    miss: [["approvers: [human]\n", "approvers: [human]\n        auto_advance: false\n"]],
  },
  {
    code: "approval_conflict",
    when: "a validation gate names approvers",
    edits: [["- id: built\n", "- id: built\n        approvers: [human]\n"]],
    at: "approvers",
    miss: [],
  },
  {
    code: "spawned_twice",
    when: "a trigger spawns the reviewers too",
    edits: [
      [
        "to: REVIEW, gate: built }",
        "to: REVIEW, gate: built, triggers: [{ action: spawn_review_agents }] }",
      ],
    ],
    at: "{ action",
    miss: [
      [
        "to: REVIEW, gate: built }",
        "to: REVIEW, gate: built, triggers: [{ action: notify_orchestrator }] }",
      ],
    ],
  },
  {
    code: "token_disabled",
    when: "a transition needs a token where there are none",
    edits: [
      ["enabled: true, expiry", "enabled: false, expiry"],
      ["gate: built }", "gate: built, requires_token: true }"],
    ],
    at: "true }",
    miss: [["enabled: true, expiry", "enabled: false, expiry"]],
  },
  {
    code: "token_waived",
    when: "a transition needs no token",
    edits: [["gate: built }", "gate: built, requires_token: false }"]],
    at: "false }",
    miss: [["gate: built }", "gate: built, requires_token: true }"]],
  },
  {
    code: "weaker_tools",
    when: "tool calls are only logged",
    edits: [["violation_action: reject", "violation_action: log"]],
    at: "log }",
    miss: [
      ["mode: strict", "mode: permissive"],
      ["violation_action: reject", "violation_action: warn"],
    ],
  },
  {
    code: "endpoint_open",
    when: "tokens go over the network in the clear",
    edits: [["http://localhost:8000", "http://orchestrator.example"]],
    at: '"http://orch',
    miss: [["http://localhost:8000", "https://orchestrator.example"]],
  },
  {
    code: "path_outside",
    when: "a path leaves the folder",
    edits: [["monitoring:\n", "monitoring:\n  export: { path: ../metrics.jsonl }\n"]],
    at: "../metrics",
    miss: [["monitoring:\n", "monitoring:\n  export: { path: a..b/metrics.jsonl }\n"]],
  },
  {
    code: "rejection_onwards",
    when: "a rejection leads to the end",
    edits: [
      [
        "{ from: REVIEW, to: BUILD, gate: reviewed, when: rejected }",
        "{ from: REVIEW, to: DONE, gate: reviewed, when: rejected }",
      ],
    ],
    at: "{ from: REVIEW, to: DONE, gate: reviewed, when",
    miss: [
      [
        "    allowed_tools: [git_commit]\ntransitions:\n",
        "    allowed_tools: [git_commit]\n  - id: DROPPED\n    name: Dropped\n    allowed_tools: []\ntransitions:\n  - { from: PLAN, to: DROPPED, gate: plan_approval, when: rejected }\n",
      ],
    ],
  },
  {
    code: "empty_constraint",
    when: "a constraint has no list",
    edits: [["bash: { allowed_commands: [npm test], forbidden_commands: [git] }", "bash: {}"]],
    at: "bash: {}",
    miss: [
      [
        "bash: { allowed_commands: [npm test], forbidden_commands: [git] }",
        "bash: { allowed_commands: [] }",
      ],
    ],
  },
  {
    code: "empty_gate",
    when: "a gate only warns",
    edits: [
      [
        "          - check: all_tests_pass\n",
        "          - check: all_tests_pass\n            severity: warning\n",
      ],
    ],
    at: "id: built",
    miss: [],
  },
  {
    code: "work_after_review",
    when: "an end is only told what it may not run",
    edits: [
      [
        "allowed_tools: [git_commit]\ntrans",
        "allowed_tools: [git_commit, bash]\n    tool_constraints: { bash: { forbidden_commands: [rm] } }\ntrans",
      ],
    ],
    at: "bash]",
    miss: [],
  },
];

it("the clean contract has no finding", () => {
  expect(findingsIn(CLEAN)).toEqual([]);
});

describe.each(CASES)("$code, $when", ({ code, edits, at, miss }) => {
  const text = changed(CLEAN, ...edits);
  const found = findingsIn(text);

  it("is found where it stands, in one line", () => {
    const [first] = found.filter((finding) => finding.code === code);
    expect(brief(found)).toContain(`${FINDING_CODES[code].severity} ${code}`);
    expect(first?.message).toMatch(/^[^\n]+$/);
    expect(first === undefined ? "" : pointed(text, first)).toMatch(
      new RegExp(`^${at.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`),
    );
  });

  it("is not found in the near miss", () => {
    expect(findingsIn(changed(CLEAN, ...miss)).filter((finding) => finding.code === code)).toEqual(
      [],
    );
  });
});

it("every finding code has a case", () => {
  const here = new Set<string>(CASES.map(({ code }) => code));
  expect(Object.keys(FINDING_CODES).filter((code) => !here.has(code))).toEqual([]);
});

it("a fault of the original form is a warning there and an error in a contract that says `bylaw: 1`", () => {
  const faults = Object.entries(FINDING_CODES).flatMap(([code, { severity, original }]) =>
    severity === original ? [] : [`${severity} ${original} ${code}`],
  );
  expect(faults).toEqual(
    ["no_end", "no_way_back", "constraint_gap", "work_after_review", "spawned_twice"].map(
      (code) => `error warning ${code}`,
    ),
  );
});
