import { deny, type RuleReference, type Verdict } from "@bylaw/kernel";

/** What a caller needs to be told, by code. */
export const CODES = {
  gate_blocked: "a blocking check does not pass, or an approver said no",
  gate_pending: "the gate waits: for approvers, or for agents that were started",
  gate_stale: "the workspace is another than that of the test run, or the run changed it itself",
  gate_needs_human: "the gate ran out of time, and a person is called",
  gate_timed_out: "the gate ran out of time and is closed, which is nobody's no",
  gate_not_rejected: "the way back is open only after the gate said no",
  gate_warning: "a check that only warns does not pass",
  gate_waived: "a check does not pass, and a person waived it",
  check_failed: "a check of your own, or a condition, broke; a broken check denies in every mode",
  gate_reported: "judged on the word of the agent, because the contract says `evidence: reported`",
} as const;

export type Code = keyof typeof CODES;

/** A deny with one of the codes. */
export const refuse = (code: Code, rule: RuleReference, reason: string, fix?: string): Verdict => deny(reason, fix, { code, rule });

/** What is on record and blocks nothing. */
export const note = (code: Code, rule: RuleReference, reason: string, fix?: string): Verdict =>
  deny(reason, fix, { code, rule, severity: "warning" });
