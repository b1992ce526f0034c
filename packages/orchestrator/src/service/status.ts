import type { Store } from "@bylaw/store";
import { createStatus } from "@bylaw/plugin-status";
import { LogFollower } from "../events/log-follower.ts";

/** The state of the run, as `status.json` has it. */
export interface RunStatus {
  /** Its text, and the sequence of the last event in it. */
  read(): Promise<{ readonly text: string; readonly head: number }>;
  close(): Promise<void>;
}

/** How many violations are listed for an agent; totals count all. */
const KEEP = 100;

/** Reads nothing before somebody asks, and then what is new since. */
export function createRunStatus(store: Pick<Store, "events">, run: string): RunStatus {
  const status = createStatus({ keep: KEEP });
  const follower = new LogFollower(store, run, [status]);
  let kept = { text: "", head: -1 };
  return {
    async read() {
      await follower.fresh();
      if (kept.head !== status.head) kept = { text: status.text(), head: status.head };
      return kept;
    },
    close: () => follower.close(),
  };
}
