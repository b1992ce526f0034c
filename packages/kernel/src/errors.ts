/** Where a mistake stands in a file: `line` and `column` count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** What a BylawError is made from. */
export interface BylawErrorInit {
  /** `BYLAW_<NOUN>_<STATE>`, one of the headings of `docs/errors.md`. */
  readonly code: `BYLAW_${string}`;
  /** One plain sentence that says what is wrong. */
  readonly message: string;
  /** What the reader should do about it. */
  readonly fix?: string | undefined;
  readonly source?: SourceLocation | undefined;
  readonly cause?: unknown;
}

/** The one error class of Bylaw: a mistake in a configuration, a policy, a call of the API, or a store. */
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

/** The message of whatever was thrown, in one line. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
      .replace(/\s+/g, " ")
      .trim();
  } catch {
    return "an error without a readable message";
  }
}
