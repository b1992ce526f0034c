import { isBylawError } from "@bylaw/config";
import {
  BylawError,
  isJsonObject,
  omitUndefined,
  type Json,
  type JsonObject,
  type LogEvent,
  type ToolCall,
} from "@bylaw/kernel";
import { callFromLine, type CallDefaults } from "../decide/call.ts";
import { spanOf } from "../io/time-span.ts";

/** What happened in the run before the call of a case. */
export interface CasePast {
  /** The states of projections, by name. They replace the states that follow from `events`. */
  readonly states: JsonObject;
  readonly events: readonly LogEvent[];
}

const OUTCOMES = ["passed", "failed", "running", "asked", "denied"] as const;
/** Fields that an earlier call copies from the case's call unless it sets them. */
const SHARED = ["cwd", "home", "workspace", "agent", "server"] as const;

interface Reading {
  readonly call: JsonObject;
  readonly defaults: CallDefaults;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The events that earlier calls would have recorded. Throws a BylawError that names the wrong call. */
export function eventsOf(history: Json, reading: Reading): readonly LogEvent[] {
  if (!Array.isArray(history) || !history.every(isJsonObject))
    throw bad("`history` must be a list of earlier calls");
  const events: LogEvent[] = [];
  for (const [at, item] of history.entries()) {
    try {
      for (const event of eventsOfCall(item, `history-${at + 1}`, reading))
        events.push({ ...event, sequence: events.length + 1 });
    } catch (error) {
      if (!isBylawError(error)) throw error;
      throw bad(`Call ${at + 1} of \`history\`: ${error.message}`, error.fix);
    }
  }
  return events;
}

function eventsOfCall(
  { outcome = "passed", ago = "0s", ...given }: JsonObject,
  id: string,
  { call, defaults, now }: Reading,
): readonly Omit<LogEvent, "sequence">[] {
  if (!(OUTCOMES as readonly Json[]).includes(outcome))
    throw bad(`\`outcome\` must be one of ${OUTCOMES.join(", ")}`);
  const span = typeof ago === "string" ? spanOf(ago) : undefined;
  if (span === undefined) throw bad("`ago` must be a span of time like `10m`");
  const shared = Object.fromEntries(SHARED.map((key) => [key, call[key]]));
  const asked = callFromLine({ ...(omitUndefined(shared) as JsonObject), ...given }, defaults).call;
  const envelope = {
    timestamp: new Date(now - span).toISOString(),
    session_id: "",
    agent_id: asked.agent ?? null,
    task_id: null,
  };
  const details = detailsOf(asked, id);
  const type = outcome === "asked" || outcome === "denied" ? `tool_${outcome}` : "tool_allowed";
  const ok = outcome === "passed";
  const result = { id, tool: asked.tool, ok, result: { exit_code: ok ? 0 : 1 } };
  return [
    { ...envelope, event_type: type, details },
    ...(outcome === "passed" || outcome === "failed"
      ? [{ ...envelope, event_type: "tool_result", details: result }]
      : []),
  ];
}

function detailsOf({ hook: _, agent: __, ...call }: ToolCall, id: string): JsonObject {
  return omitUndefined({ ...call, id }) as unknown as JsonObject;
}

const bad = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_CASES_INVALID", message, fix });
