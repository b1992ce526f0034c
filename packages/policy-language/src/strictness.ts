import type { Effect } from "@bylaw/kernel";

/** Effects as numbers: the stricter, the higher. */
export const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask_user: 1, deny: 2 };

/** Whether one effect is weaker than another. */
export const weaker = (effect: Effect, than: Effect): boolean => STRICTNESS[effect] < STRICTNESS[than];
