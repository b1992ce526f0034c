/** One line of a log. */
export interface LogLine {
  /** The file as it was named, or the run of a store. */
  readonly file: string;
  /** The number of the line, from 1. In a run of a store, the sequence of the event. */
  readonly line: number;
  /** The text without its line break, empty if there is a fault. */
  readonly text: string;
  /** The reason why the line is not text. */
  readonly fault?: string;
  /** Whether the line ends with a line break. */
  readonly terminated: boolean;
}
