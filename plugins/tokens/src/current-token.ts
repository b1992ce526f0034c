import { defineProjection, type JsonObject, type View } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "@bylaw/log";
import type { Claims } from "./claims.ts";

interface IssuedToken {
  readonly jti: string;
  /** The digest of its claims; `null`: the log is older than these digests, and the token is never accepted. */
  readonly digest: string | null;
}

/** The valid token of each task; `null`: it has none, because the task moved on or the token was revoked. */
export type CurrentTokens = Tree<IssuedToken | null>;

/** Events that void the current token: the task changed its phase, or its claim began or ended. */
const VOID: ReadonlySet<string> = new Set([
  "token_revoked",
  "phase_entered",
  "task_claimed",
  "task_released",
  "task_failed",
  "task_lapsed",
  "task_escalated",
]);

/** The current token of each task, by the log. */
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

/** The reason why a token is not the current one of its task, by the digest of its claims; `undefined`: it is. */
export function currentTokenFault(
  view: View,
  { task_id, jti }: Pick<Claims, "task_id" | "jti">,
  digest: string,
): "token_superseded" | "token_not_issued" | undefined {
  const current = treeGet(view(currentTokens), task_id);
  if (current?.jti !== jti || current.digest === null) return "token_superseded";
  // The id was issued with other claims, so somebody else has the signing key.
  return current.digest === digest ? undefined : "token_not_issued";
}
