import { NO_COORDINATOR, type CoordinatorState } from "./coordinator-state.ts";
import { step } from "./coordinator-step.ts";
import type { Happening } from "./event-parts.ts";
import type { Broken } from "./rules.ts";

/** Holds each event against the life cycle of spec/003's coordinator. */
export interface CoordinatorOrder {
  /** The rule that the event breaks, at most one. `at`: its time in milliseconds since 1970. */
  next(event: Happening, at: number | undefined): Broken | undefined;
}

/**
 * A fold over the events of a log, in memory for as many tasks, open questions and delegations as it holds. What an event that is
 * found impossible would change stays as it was.
 */
export function createCoordinatorOrder(): CoordinatorOrder {
  let state: CoordinatorState = { ...NO_COORDINATOR, tasks: new Map(), delegations: new Map() };
  return {
    next(event, at) {
      const judged = step(state, event, at);
      state = judged.state;
      return judged.broken;
    },
  };
}
