import { STRICTNESS, type Effect } from "@bylaw/kernel";

/** Whether one effect is weaker than another. */
export const weaker = (effect: Effect, than: Effect): boolean =>
  STRICTNESS[effect] < STRICTNESS[than];
