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
  /** One line: "Unexpected <actual>, expected <wanted>". */
  readonly message: string;
  /** What the reader should do about it. */
  readonly fix?: string | undefined;
  readonly source?: SourceLocation | undefined;
  readonly cause?: unknown;
}
