import type { Decision } from "@bylaw/kernel";
import { problem, type ProblemFields } from "./problem.ts";

/** What was decided, if it is on record. Throws the problem of a decision that could not be recorded, or not any more. */
export function requireRecorded<D extends { readonly decision: Decision }>(decided: D): D {
  const { decision } = decided;
  const { code, reason: detail } = decision;
  if (code === "engine_absent") throw problem(unrecorded(decision));
  if (code === "run_ended")
    throw problem({
      status: 409,
      code,
      detail,
      decision,
      fix: "Start a new run to go on working.",
    });
  return decided;
}

// Why it failed may name places of this machine: the log of the server says it, and an agent is not told.
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
