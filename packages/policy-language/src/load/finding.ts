import { BylawError } from "@bylaw/kernel";
import { formatLocation } from "@bylaw/wording";

/** An error or a warning in a policy file. `line` and `column` count from 1. */
export interface PolicyFinding {
  readonly code: string;
  /** The problem, in one sentence. */
  readonly message: string;
  readonly fix?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
}

/** A policy file that cannot be used. None of its rules apply: a policy that fails to load allows nothing. */
export class PolicyError extends BylawError {
  /** Every error and warning of the file, in the order of the text. */
  readonly findings: readonly PolicyFinding[];

  constructor(findings: readonly PolicyFinding[], cause?: unknown) {
    const errors = findings.filter(({ severity }) => severity === "error");
    const [first] = errors;
    if (first === undefined) throw new TypeError("a policy error without an error");
    const more = errors.length - 1;
    const { file, line, column } = first;
    super({
      code: "BYLAW_POLICY_INVALID",
      message: `${formatLocation({ file, line, column })}: ${first.message}${more === 0 ? "" : ` (and ${more} more)`}`,
      fix: first.fix,
      source: { file, line, column },
      cause,
    });
    this.findings = findings;
  }
}

/** An error in a pattern or a condition, thrown before its position in the file is known. */
export class PatternError extends Error {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}

/** Formats user text in backticks, shortened and on one line. */
export function quote(text: string): string {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) =>
    JSON.stringify(char).slice(1, -1),
  );
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``;
}
