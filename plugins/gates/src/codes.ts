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

/** Text of a caller in one line and not too long, without the marks that quote. */
export const inLine = (text: string, most = 200): string => oneLine(text.replaceAll("`", " "), most);

/** Text in one line and not too long. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** The same in backticks. */
export const quote = (text: string): string => `\`${inLine(text, 120)}\``;

/** At most some names, each in backticks, and how many more there are. */
export function listed(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return `${names.slice(0, most).map(quote).join(", ")}${more > 0 ? ` and ${more} more` : ""}` || "none";
}
