/** A contract with a gate that a person opens, a phase with files and programs, and a way back. Leases are short, so that lost agents are noticed. */
export const CONTRACT = `bylaw: 1
name: Soak
phases:
  - id: PLAN
    name: Plan
    allowed_tools: [read_files, grep]
    forbidden_tools: [bash, write_files]
    required_artifacts:
      - { type: plan_document, schema: plan }
    gates:
      - id: plan_approval
        type: approval
        approvers: [human]
        blockers:
          - { check: plan_has_acceptance_criteria, message: Name the acceptance criteria }
  - id: BUILD
    name: Build
    allowed_tools: [read_files, write_files, grep, bash]
    forbidden_tools: [git_commit]
    tool_constraints:
      write_files: { allowed_patterns: ["src/**"], forbidden_patterns: ["src/secret/**"] }
      bash: { allowed_commands: [echo, cat, sleep] }
    required_artifacts:
      - { type: build_summary, schema: summary }
  - id: REVIEW
    name: Review
    allowed_tools: [read_files, grep]
    required_artifacts:
      - { type: review_summary, schema: summary }
transitions:
  - { from: PLAN, to: BUILD, gate: plan_approval }
  - { from: BUILD, to: REVIEW }
enforcement: { mode: strict }
coordination: { conflict_resolution: { lock_timeout_seconds: 30 } }
recovery: { agent_crash: { action: retry, max_retries: 1000, backoff_seconds: 1 } }
schemas:
  plan:
    type: object
    required: [title, acceptance_criteria]
    properties:
      title: { type: string, minLength: 3 }
      acceptance_criteria:
        type: array
        minItems: 1
        items: { type: object, required: [criterion, how_to_verify] }
  summary:
    type: object
    required: [summary]
    properties: { summary: { type: string, minLength: 3 } }
`;
