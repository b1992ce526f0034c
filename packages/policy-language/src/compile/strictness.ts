import { STRICTNESS, type Effect } from "@bylaw/kernel";

/** Whether one effect is weaker than another. */
export const weaker = (effect: Effect, than: Effect): boolean =>
  STRICTNESS[effect] < STRICTNESS[than];

/** The stricter of two effects. */
export const stricter = (one: Effect, other: Effect): Effect => (weaker(one, other) ? other : one);
