import { isBylawError } from "@bylaw/config";
import { messageOf } from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import type { Service } from "../service/service.ts";
import { isStoreFailure } from "../service/store-health.ts";
import { Problem, type ProblemFields } from "./problem.ts";

/** The problem that a client gets for an error. For a failure of the server, it says only that it happened. */
export function problemOf(error: unknown, service: Pick<Service, "log" | "over">): ProblemFields {
  if (error instanceof Problem) return error.fields;
  if (error instanceof StoreConflict)
    return {
      status: 409,
      code: "BYLAW_STORE_CONFLICT",
      detail: "Somebody else changed this at the same time",
      fix: "Send the request again.",
    };
  if (isStoreFailure(error)) return storeProblem(error.code);
  if (isBylawError(error)) {
    const status = STATUS.get(error.code);
    if (status !== undefined)
      return { status, code: error.code, detail: error.message, fix: error.fix };
  }
  if (service.over.aborted)
    return {
      status: 503,
      code: "BYLAW_SERVICE_CLOSING",
      detail: "The server is shutting down",
      fix: "Ask another node, or this one again when it is back.",
    };
  service.log.error({ err: messageOf(error) }, "a request failed");
  return {
    status: 500,
    code: "BYLAW_SERVICE_FAILED",
    detail: "The server failed to answer this request",
    fix: "Try again later. The server's log says more.",
  };
}

/** The HTTP status of errors in a request. Every other error is a failure of the server. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ["BYLAW_JSON_INVALID", 400],
  ["BYLAW_TASK_INVALID", 400],
  ["BYLAW_TASK_UNKNOWN", 404],
  ["BYLAW_EVENT_INVALID", 400],
  ["BYLAW_BEHAVIOR_INVALID", 400],
  ["BYLAW_CONSTITUTION_INVALID", 400],
  ["BYLAW_CONSTITUTION_FULL", 409],
  ["BYLAW_EVENT_REFUSED", 409],
  ["BYLAW_GATE_NOT_OPEN", 409],
  ["BYLAW_APPROVAL_MISSING", 404],
  ["BYLAW_APPROVAL_UNAUTHORIZED", 403],
  ["BYLAW_APPROVAL_UNFIT", 409],
  ["BYLAW_CHAIN_BROKEN", 503],
  ["BYLAW_WORKSPACE_TAKEN", 409],
  ["BYLAW_RUN_CLOSED", 503],
  ["BYLAW_RUN_SUPERSEDED", 503],
]);

// The store's own message names paths of this machine, which agents must not learn.
function storeProblem(code: string): ProblemFields {
  const headers = { "retry-after": "1" };
  if (code === "BYLAW_STORE_UNKNOWN_OUTCOME")
    return {
      status: 503,
      code,
      headers,
      detail: "It is unknown whether this was recorded.",
      fix: "Send it again under the same request id.",
    };
  return {
    status: 503,
    code,
    headers,
    detail: "The server cannot use its store at the moment.",
    fix: "Try again later. The log of the server says why.",
  };
}
