import {
  ApprovalRefused,
  Conflict,
  NoTaskReady,
  NotClaimed,
  NotFound,
  NotPermitted,
  RateLimited,
  RequestInvalid,
  ServerFault,
  TokenExpired,
  ToolFailed,
  ToolForbidden,
  Unauthenticated,
  Unavailable,
  type AgentError,
  type ErrorParts,
} from "./errors.ts";
import type { Json, JsonObject, Problem } from "./types.ts";

/** An error response, and the request that it answers. */
export interface Refusal {
  readonly status: number;
  readonly body: Json | undefined;
  readonly retry_after_ms: number | undefined;
  /** The tool of the request. */
  readonly tool?: string | undefined;
  /** Removes credentials from a text. */
  readonly mask: (text: string) => string;
}

// Codes of the plugins tokens and tasks. All others are classified by status.
const OVERTAKEN = /^token_(expired|superseded|other_phase|other_session)$/;
const NOT_HELD =
  /^(token_other_task|task_(unknown|blocked|waiting|not_claimed|other_agent|fence_stale|lease_over|escalated|over)|phase_task_completed)$/;
/** Answers to a claim after which the task may become available. */
const NOT_READY = /^task_(none_ready|unknown|blocked|waiting|not_claimed|other_agent|escalated)$/;
const NO_CREDENTIAL =
  /^token_(missing|malformed|forged|key_unknown|not_yet_valid|not_issued|undated|other_run|other_agent|other_contract)$/;
const REFUSED = /^approval_(expired|refused|rejected|unavailable)$/;

/** The error for an error response. The code determines its class, or else the status. */
export function errorOf({ status, body, retry_after_ms, tool, mask }: Refusal): AgentError {
  const problem = problemOf(body, status, mask);
  const { code } = problem;
  const fix = typeof problem["fix"] === "string" ? problem["fix"] : undefined;
  const parts: ErrorParts = { code, message: problem.detail, fix, status, problem, retry_after_ms };
  if (status === 404 && NOT_READY.test(code)) return new NoTaskReady(parts);
  if (OVERTAKEN.test(code)) return new TokenExpired(parts);
  if (NOT_HELD.test(code)) return new NotClaimed(parts);
  if (NO_CREDENTIAL.test(code)) return new Unauthenticated(parts);
  if (REFUSED.test(code)) return new ApprovalRefused(parts);
  // If the answer has a decision that allowed the call, the tool itself failed.
  if (
    status === 400 &&
    tool !== undefined &&
    isObject(problem["decision"]) &&
    code !== "invalid_call"
  )
    return new ToolFailed(parts);
  switch (status) {
    case 401:
      return new Unauthenticated(parts);
    case 403:
      return tool === undefined || code.startsWith("BYLAW_CREDENTIAL_")
        ? new NotPermitted(parts)
        : new ToolForbidden({ ...parts, tool });
    case 404:
      return new NotFound(parts);
    case 409:
      return new Conflict(parts);
    case 429:
      return new RateLimited(parts);
    case 408:
    case 502:
    case 503:
    case 504:
      return new Unavailable(parts);
    default:
      return status >= 400 && status < 500 ? new RequestInvalid(parts) : new ServerFault(parts);
  }
}

// A proxy in between answers with its own pages. Then only the status is known.
function problemOf(body: Json | undefined, status: number, mask: Refusal["mask"]): Problem {
  const fields = isObject(body) ? (masked(body, mask) as JsonObject) : {};
  const text = (name: string, otherwise: string): string =>
    typeof fields[name] === "string" ? fields[name] : otherwise;
  const title = text("title", "");
  const detail = text(
    "detail",
    title === "" ? `The service answered with status ${status}` : title,
  );
  return { ...fields, title, status, detail, code: text("code", `http_${status}`) };
}

function masked(value: Json, mask: Refusal["mask"]): Json {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((one: Json) => masked(one, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, mask)]));
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
