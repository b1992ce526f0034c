/** The decision codes of the kernel. The list is closed and versioned. */
export const DECISION_CODES: readonly string[] = [
  "rule_allowed",
  "rule_asked",
  "rule_denied",
  "unknown_command",
  "invalid_call",
  "fallback",
  "mode_allowed",
  "approved",
  "approval_unavailable",
  "approval_expired",
  "check_failed",
  "engine_absent",
  "run_ended",
];
