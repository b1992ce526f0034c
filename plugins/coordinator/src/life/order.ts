import type { OrderRules } from "@bylaw/log";
import { COORDINATOR_RULES } from "./rules.ts";
import { NO_COORDINATOR } from "./state.ts";
import { step } from "./step.ts";

/**
 * The order rules of a coordinator's work, for `createLogVerifier`. Each event is reported for at most one rule. An impossible
 * event does not change the state that the next one is judged by.
 */
export function coordinatorOrder(): OrderRules {
  let state = NO_COORDINATOR;
  return {
    next(event, time) {
      const { state: after, broken } = step(state, event, time);
      state = after;
      return broken && { ...broken, severity: COORDINATOR_RULES[broken.rule].severity };
    },
  };
}
