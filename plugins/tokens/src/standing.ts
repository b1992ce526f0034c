import { defineProjection } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "@bylaw/log";

/** The one token that holds for a task; `null`: none does, because the task moved on or the token was revoked. */
export type Standing = Tree<string | null>;

/** A task that moves on, or back, takes the tokens of its phase along; a claim that begins or ends, those of whoever held it before. */
const VOID: ReadonlySet<string> = new Set([
  ...["token_revoked", "phase_entered", "task_claimed"],
  ...["task_released", "task_failed", "task_lapsed", "task_escalated"],
]);

/** The name of the current token (`jti`) of each task, as the log says. */
export const currentTokens = defineProjection<Standing>({
  name: "@bylaw/plugin-tokens/current",
  version: 4,
  initial: null,
  reduce(state, { event_type, task_id, details }) {
    if (task_id === null) return state;
    if (event_type === "token_issued") return treePut(state, task_id, String(details["jti"]));
    return VOID.has(event_type) ? treePut(state, task_id, null) : state;
  },
});

/** The current token of a task; `undefined`: none was ever issued. */
export const standingOf = (state: Standing, task: string): string | null | undefined => treeGet(state, task);
