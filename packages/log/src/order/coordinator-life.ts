import { defineProjection, type EventDraft, type JsonObject } from "@bylaw/kernel";
import { timeOf } from "../codec/envelope.ts";
import { NO_COORDINATOR, type CoordinatorState } from "./coordinator-state.ts";
import { concerns, step, type Judged } from "./coordinator-step.ts";

/** What comes of an event, where it can change anything at all. */
export const judge = (state: CoordinatorState, event: EventDraft): Judged =>
  concerns(state, event.event_type) ? step(state, event, timeOf(event as unknown as JsonObject)) : { state };

/** The state by which the order rules judge the next event. */
export const coordinatorLife = defineProjection<CoordinatorState>({
  name: "bylaw/coordinator",
  version: 1,
  initial: NO_COORDINATOR,
  reduce: (state, event) => judge(state, event).state,
});
