import type { Decision } from "@bylaw/kernel";
import { problem, type ProblemFields } from "./problem.ts";

/** Returns a decision that is recorded. Throws a problem if it could not be recorded, or can no longer be. */
export function requireRecorded<D extends { readonly decision: Decision }>(decided: D): D {
  const { decision } = decided;
  const { code, reason: detail } = decision;
  if (code === "engine_absent") throw problem(unrecorded(decision));
  if (code === "run_ended")
    throw problem({ status: 409, code, detail, decision, fix: "Start a new run to continue." });
  return decided;
}

// The cause may name paths of this machine, so only the server's log has it.
function unrecorded(decision: Decision): ProblemFields {
  const reason = "The decision could not be recorded, so nothing may be done.";
  const [status, headers] = [503, { "retry-after": "1" }] as const;
  return {
    status,
    headers,
    code: decision.code,
    detail: reason,
    decision: { ...decision, reason },
  };
}
