/** One line of a log. */
export interface LogLine {
  /** The file as it was named; for a run of a store, the run. */
  readonly file: string;
  /** From 1; for a run of a store, the sequence. */
  readonly line: number;
  /** Without its line break; empty where there is a fault. */
  readonly text: string;
  /** Why the line cannot be read as text. */
  readonly fault?: string;
  /** Whether it ends with a line break. */
  readonly terminated: boolean;
}
