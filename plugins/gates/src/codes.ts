import { deny, type Verdict } from "@bylaw/kernel";

/** The place of a rule in the contract. */
export type RuleReference = NonNullable<Verdict["rule"]>;

export const CODES = {
  gate_blocked: "a blocking check failed, or an approver said no",
  gate_pending: "the gate waits: for approvers, or for agents that were started",
  gate_stale: "the workspace changed since the test run, or the run itself changed it",
  gate_needs_human: "the gate timed out, and a person has been called",
  gate_timed_out: "the gate timed out and is closed; nobody said no",
  gate_not_rejected: "the way back opens only after the gate says no",
  gate_warning: "a check that only warns failed",
  gate_waived: "a check failed, and a person waived it",
  check_failed: "a custom check or a condition threw; a broken check denies in every mode",
  gate_reported:
    "judged on results that the agent reported, because the contract says `evidence: reported`",
} as const;

export type Code = keyof typeof CODES;

/** Denies with one of the codes. */
export const refuse = (code: Code, rule: RuleReference, reason: string, fix?: string): Verdict =>
  deny(reason, fix, { code, rule });

/** Records a note that blocks nothing. */
export const note = (code: Code, rule: RuleReference, reason: string, fix?: string): Verdict =>
  deny(reason, fix, { code, rule, severity: "warning" });
