import type { TestRun } from "@bylaw/evidence";

export interface RecordedRun {
  readonly sequence: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly details: TestRun;
}

/** The commit on which a task began, as far as it is on record. */
export interface CommitBase {
  /** `null`: there is no commit, or nothing could be read. */
  readonly head: string | null;
  /** The digest of its files that are in no tree; `null`: nothing could be read. */
  readonly apart: string | null;
}

/** The base of a task at whose beginning nothing could be read. */
export const UNSEEN_BASE: CommitBase = Object.freeze({ head: null, apart: null });
