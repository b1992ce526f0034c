import { BylawError } from "@bylaw/kernel";
import { formatLocation } from "@bylaw/wording";
import type { FindingCode, FindingSeverity } from "./finding-codes.ts";

/**
 * An error or a warning about a contract. `line` and `column` count from 1, columns in UTF-16 code
 * units.
 */
export interface ContractFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  /** The fault, in one line. */
  readonly message: string;
  readonly fix?: string;
}

/** The error for a contract that cannot be used, not even in part. */
export class ContractError extends BylawError {
  /** Every error and warning of the file, in the order of the text. */
  readonly findings: readonly ContractFinding[];

  constructor(findings: readonly ContractFinding[]) {
    const errors = findings.filter(({ severity }) => severity === "error");
    const [first] = errors;
    if (first === undefined) throw new TypeError("a contract error without an error");
    const { file, line, column, message, fix } = first;
    const more = errors.length - 1;
    super({
      code: "BYLAW_CONTRACT_INVALID",
      message: `${formatLocation({ file, line, column })}: ${message}${more === 0 ? "" : ` (and ${more} more)`}`,
      fix,
      source: { file, line, column },
    });
    this.findings = findings;
  }
}
