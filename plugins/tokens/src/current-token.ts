import { defineProjection, type JsonObject, type View } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "@bylaw/log";
import type { Claims } from "./claims.ts";

interface IssuedToken {
  readonly jti: string;
  /** Of all its claims; `null`: the log is from before they were recorded, and no token passes for this one. */
  readonly digest: string | null;
}

/** The one token that holds for a task; `null`: none does, because the task moved on or the token was revoked. */
export type CurrentTokens = Tree<IssuedToken | null>;

/** These void the current token: the task changed its phase, or its claim began or ended. */
const VOID: ReadonlySet<string> = new Set([
  "token_revoked",
  "phase_entered",
  "task_claimed",
  "task_released",
  "task_failed",
  "task_lapsed",
  "task_escalated",
]);

/** The current token of each task, as the log says. */
export const currentTokens = defineProjection<CurrentTokens>({
  name: "@bylaw/plugin-tokens/current",
  version: 5,
  scope: "task",
  initial: null,
  reduce(state, { event_type, task_id, details }) {
    if (task_id === null) return state;
    if (event_type === "token_issued") return treePut(state, task_id, issuedIn(details));
    return VOID.has(event_type) ? treePut(state, task_id, null) : state;
  },
});

const issuedIn = ({ jti, claims_digest }: JsonObject): IssuedToken => ({
  jti: String(jti),
  digest: typeof claims_digest === "string" ? claims_digest : null,
});

/** Why a token is not the one that holds for its task, by the digest of its claims; `undefined`: it is. */
export function currentTokenFault(
  view: View,
  { task_id, jti }: Pick<Claims, "task_id" | "jti">,
  digest: string,
): "token_superseded" | "token_not_issued" | undefined {
  const current = treeGet(view(currentTokens), task_id);
  if (current?.jti !== jti || current.digest === null) return "token_superseded";
  // The name was issued with other claims, so the signing key is in other hands.
  return current.digest === digest ? undefined : "token_not_issued";
}
