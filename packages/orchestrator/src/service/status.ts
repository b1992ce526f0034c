import { createStatus } from "@bylaw/plugin-status";
import type { Follower, Follows } from "./follower.ts";

/** The state of the run, as `status.json` has it. */
export interface RunStatus extends Follows {
  /** Its text, and the sequence of the last event in it. */
  read(): Promise<{ readonly text: string; readonly head: number }>;
}

/** How many violations are listed for an agent; totals count all. */
const KEEP = 100;

export function createRunStatus(follower: () => Follower): RunStatus {
  const status = createStatus({ keep: KEEP });
  let kept = { text: "", head: -1 };
  return {
    add: (events) => status.add(events),
    async read() {
      await follower().fresh();
      if (kept.head !== status.head) kept = { text: status.text(), head: status.head };
      return kept;
    },
  };
}
