/** The position of a mistake in a file. `line` and `column` count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** The fields of a new BylawError. */
export interface BylawErrorInit {
  /** `BYLAW_<NOUN>_<STATE>`, one of the headings of `docs/errors.md`. */
  readonly code: `BYLAW_${string}`;
  /** The problem, in one plain sentence. */
  readonly message: string;
  /** What the reader should do about the problem. */
  readonly fix?: string | undefined;
  readonly source?: SourceLocation | undefined;
  readonly cause?: unknown;
}

/** The only error class of Bylaw: for a mistake in a configuration, a policy, an API call or a store. */
export class BylawError extends Error {
  readonly code: BylawErrorInit["code"];
  readonly fix: string | undefined;
  readonly source: SourceLocation | undefined;

  constructor({ code, message, fix, source, cause }: BylawErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BylawError";
    this.code = code;
    this.fix = fix;
    this.source = source;
  }
}

/** The message of any thrown value, on one line. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
      .replace(/\s+/g, " ")
      .trim();
  } catch {
    return "an error without a readable message";
  }
}
