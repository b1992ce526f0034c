import { defineProjection } from "@bylaw/kernel";

/** The one token that holds for a task; `null`: none does, because the task moved on or the token was revoked. */
export type Standing = Readonly<Record<string, string | null>>;

/** The name of the current token (`jti`) of each task, as the log says. */
export const currentTokens = defineProjection<Standing>({
  name: "@bylaw/plugin-tokens/current",
  version: 1,
  initial: {},
  reduce(state, { event_type, task_id, details }) {
    if (task_id === null) return state;
    if (event_type === "token_issued") return put(state, task_id, String(details["jti"]));
    // A task that moves on, or back, takes the tokens of its phase along.
    if (event_type === "token_revoked" || event_type === "phase_entered") return put(state, task_id, null);
    return state;
  },
});

const put = (state: Standing, task: string, jti: string | null): Standing =>
  Object.hasOwn(state, task) && state[task] === jti ? state : Object.freeze({ ...state, [task]: jti });

/** The current token of a task; `undefined`: none was ever issued. */
export const standingOf = (state: Standing, task: string): string | null | undefined =>
  Object.hasOwn(state, task) ? state[task] : undefined;
