/**
 * A contract with two phases, between which tasks move back and forth. The way forward needs ten artifacts with schemas and a gate of five
 * checks; the way back needs nothing.
 */
export const CONTRACT = `bylaw: 1
name: Bench
phases:
  - id: WORK
    name: Work
    required_artifacts:
${[
  "plan_document",
  "scope_definition",
  "test_files",
  ...Array.from({ length: 7 }, (_, at) => `notes_${at}`),
]
  .map((type) => `      - { type: ${type}, schema: ${type.startsWith("notes") ? "notes" : type} }`)
  .join("\n")}
    gates:
      - id: done
        blockers:
          - { check: plan_has_acceptance_criteria, message: Say what is accepted }
          - { check: scope_is_bounded, message: Bound the scope }
          - { check: tests_exist_for_acceptance_criteria, message: Cover the criteria }
          - { check: no_open_questions, message: Answer the questions }
          - { check: plan_is_small, message: Plan less }
    allowed_tools: [read_files, write_files, ask_user_question, bash]
    forbidden_tools: [git_commit]
    tool_constraints:
      write_files: { allowed_patterns: ["src/**"], forbidden_patterns: ["src/secret/**"] }
      bash: { allowed_commands: [npm test] }
  - id: REST
    name: Rest
    allowed_tools: [read_files]
  - id: END
    name: End
    allowed_tools: [read_files]
transitions:
  - { from: WORK, to: REST, gate: done }
  - { from: REST, to: WORK }
  - { from: REST, to: END }
enforcement: { mode: strict }
coordination: { conflict_resolution: { lock_timeout_seconds: 86400 } }
checks:
  plan_is_small:
    passes_when: { fact: artifacts, path: "$.plan_document.days", operator: lessThanInclusive, value: 3 }
schemas:
  plan_document:
    type: object
    required: [title, days, acceptance_criteria, open_questions]
    properties:
      title: { type: string, minLength: 10 }
      days: { type: number }
      open_questions: { type: array }
      acceptance_criteria:
        type: array
        minItems: 1
        items:
          type: object
          required: [criterion, how_to_verify]
          properties: { criterion: { type: string, minLength: 1 }, how_to_verify: { type: string, minLength: 1 } }
  scope_definition:
    type: object
    required: [in_scope, out_of_scope, constraints]
    properties:
      in_scope: { type: array, items: { type: string } }
      out_of_scope: { type: array, items: { type: string } }
      constraints: { type: array, items: { type: string } }
  test_files:
    type: object
    required: [test_files]
    properties:
      test_files:
        type: array
        items: { type: object, required: [path, covers], properties: { path: { type: string }, covers: { type: array } } }
  notes:
    type: object
    required: [summary, files]
    properties:
      summary: { type: string, minLength: 10, maxLength: 2000 }
      files: { type: array, items: { type: string, pattern: "^[a-z./]+$" } }
`;

const criterion = "it adds two numbers";
const notes = {
  summary: "What was done, and why it was done so.",
  files: ["src/add.ts", "src/index.ts", "tests/add.test.ts"],
};

/** The artifacts that a task needs to move forward. */
export const ARTIFACTS = {
  plan_document: {
    title: "Add two numbers",
    days: 1,
    acceptance_criteria: [{ criterion, how_to_verify: "npm test" }],
    open_questions: [],
  },
  scope_definition: {
    in_scope: ["src/add.ts"],
    out_of_scope: ["all else"],
    constraints: ["no dependency"],
  },
  test_files: {
    test_files: [{ path: "tests/add.test.ts", covers: [criterion] }],
    coverage: { acceptance_criteria_covered: [criterion] },
  },
  ...Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`notes_${at}`, notes])),
};
