import type { TestRun } from "@bylaw/evidence";

export interface RecordedRun {
  readonly sequence: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly details: TestRun;
}

/** The commit that a task began on, as far as that is on record. */
export interface CommitBase {
  /** `null`: none, or nobody could look. */
  readonly head: string | null;
  /** The files of it that are in no tree; `null`: nobody could look. */
  readonly apart: string | null;
}

/** What is known where nobody could look as the task began. */
export const UNSEEN_BASE: CommitBase = Object.freeze({ head: null, apart: null });
