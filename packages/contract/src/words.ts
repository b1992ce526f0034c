/** A check by the name that the original format gives it. */
export interface KnownCheck {
  /** The artifacts that it reads. */
  readonly reads: readonly string[];
  /** Whether it needs an observed test run. */
  readonly evidence?: true;
  /** The parameter of its entry, and whether it is required. */
  readonly parameter?: {
    readonly name: "threshold" | "required_reviews";
    readonly required: boolean;
  };
  /** When it passes. */
  readonly passes: string;
}

/** The 14 checks of gates, by name. */
export const GATE_CHECKS: Readonly<Record<string, KnownCheck>> = {
  plan_has_acceptance_criteria: {
    reads: ["plan_document"],
    passes: "the plan has at least one criterion, each with how to verify it",
  },
  scope_is_bounded: {
    reads: ["scope_definition"],
    passes: "in scope, out of scope and constraints are all named",
  },
  no_open_questions: { reads: ["plan_document"], passes: "the plan leaves no question open" },
  tests_exist_for_acceptance_criteria: {
    reads: ["plan_document", "test_files"],
    passes: "every criterion of the plan is covered by a test file",
  },
  tests_are_failing: {
    reads: ["test_run_result"],
    evidence: true,
    passes: "the tests ran to their end and at least one failed",
  },
  tests_are_meaningful: { reads: ["test_files"], passes: "every test file asserts something" },
  test_files_follow_convention: {
    reads: ["test_files"],
    passes: "every test file matches the phase's patterns",
  },
  all_tests_pass: {
    reads: ["test_run_result"],
    evidence: true,
    passes: "at least one test ran and none failed",
  },
  no_skipped_tests: { reads: ["test_run_result"], evidence: true, passes: "no test was skipped" },
  coverage_threshold_met: {
    reads: ["test_run_result"],
    evidence: true,
    parameter: { name: "threshold", required: true },
    passes: "coverage in percent is at least `threshold`",
  },
  no_commented_out_code: {
    reads: ["implementation_files"],
    passes: "the changed files contain no commented-out code",
  },
  no_blocking_issues: { reads: ["review_report"], passes: "no review found a blocking issue" },
  all_review_models_completed: {
    reads: ["review_report"],
    parameter: { name: "required_reviews", required: true },
    passes: "every review of `required_reviews` exists",
  },
  review_comments_addressed: {
    reads: ["review_report"],
    passes: "every review comment is answered",
  },
};

/**
 * The rules of `required_artifacts[].validation`, by name, and when each passes. A rule judges the
 * artifact that names it.
 */
export const ARTIFACT_RULES: Readonly<Record<string, string>> = {
  has_acceptance_criteria: "`acceptance_criteria` is not empty",
  has_implementation_steps: "`implementation_steps` is not empty",
  has_in_scope: "`in_scope` is not empty",
  has_out_of_scope: "`out_of_scope` is not empty",
  tests_exist: "`test_files` is not empty and every file exists",
  tests_cover_acceptance_criteria: "every criterion of the plan is covered",
  tests_were_run: "the run was observed, with command, exit code and time",
  tests_failed: "the run ended and at least one test failed",
  implementation_exists: "`files_changed` is not empty and every file exists",
  matches_plan: "the changed files are in the scope of the approved plan",
  tests_passed: "at least one test ran and none failed",
  all_reviews_completed: "every spawned review exists",
  no_blocking_issues: "`blocking_issues` is empty",
  has_summary: "`summary` is not empty",
  has_files_changed: "`files_changed` is not empty",
};

/** The rules that need a test run. */
export const TEST_RULES: readonly string[] = ["tests_were_run", "tests_failed", "tests_passed"];

/**
 * The target of a transition that completes a task, from a phase that no other transition leaves.
 * It is no phase, so no phase may have this id. The log has it as the phase of a completed task.
 */
export const COMPLETED_PHASE = "@completed";

/** The tools that a contract may name without declaring them. */
export const TOOLS = [
  "read_files",
  "search_codebase",
  "grep",
  "glob",
  "ask_user_question",
  "web_fetch",
  "write_files",
  "edit_files",
  "git_commit",
  "run_tests",
  "bash",
] as const;

/** Tools that write files themselves. Their constraints are patterns of paths. */
export const WRITING_TOOLS: readonly string[] = ["write_files", "edit_files"];
/** Tools that take a path, so that their constraints may have patterns. */
export const PATH_TOOLS: readonly string[] = [
  ...WRITING_TOOLS,
  "read_files",
  "grep",
  "glob",
  "search_codebase",
];
/** Tools that run a command line. Their constraints are commands. */
export const SHELL_TOOLS: readonly string[] = ["bash", "run_tests", "git_commit"];

/**
 * The tools that can make an artifact; one of them suffices. An agent itself writes any other
 * artifact, when it requests the transition.
 */
export const MADE_WITH: Readonly<Record<string, readonly string[]>> = {
  test_files: ["write_files", "edit_files", "bash"],
  implementation_files: ["write_files", "edit_files", "bash"],
  test_run_result: ["bash", "run_tests"],
};

export const TRIGGER_ACTIONS = [
  "spawn_review_agents",
  "update_prd_state",
  "notify_orchestrator",
] as const;
export const METRICS = [
  "phase_transition_time",
  "gate_pass_rate",
  "gate_block_rate",
  "tool_usage_by_phase",
  "artifact_validation_failures",
] as const;
export const BUS_EVENTS = [
  "task_started",
  "phase_transition_requested",
  "gate_passed",
  "gate_blocked",
  "task_completed",
  "blocker_encountered",
] as const;
export const CLAIMS = [
  "task_id",
  "phase",
  "allowed_tools",
  "agent",
  "session",
  "contract",
  "iat",
  "nbf",
  "exp",
  "jti",
] as const;
export const SNAPSHOT_PARTS = [
  "task_dependencies",
  "completed_tasks",
  "current_phase",
  "blockers",
  "prd_state",
] as const;
