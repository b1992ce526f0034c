import { isBylawError, parseJson } from "@bylaw/config";
import {
  BylawError,
  isJsonObject,
  omitUndefined,
  type Effect,
  type Json,
  type JsonObject,
  type LogEvent,
  type ToolCall,
  type Transition,
} from "@bylaw/kernel";
import { readRecordedCall } from "@bylaw/log";
import { isEffect } from "../decide/is-effect.ts";
import type { RuleReference } from "../decide/rule-text.ts";
import { CALL_KEYS, callFromLine, type CallDefaults } from "../decide/call.ts";
import { withoutLine, type TextLine } from "../io/read-lines.ts";

/** The recorded decision. */
export interface Recorded {
  readonly effect: Effect;
  readonly code?: string;
  readonly rule?: RuleReference;
}

/** One line of a log, or of a file of calls. `event` is set if the line is an event. */
export interface LogLine {
  readonly line: number;
  readonly event?: LogEvent;
  /** The sequence of the event, or the id of the call. */
  readonly id?: number | string;
  readonly call?: ToolCall;
  readonly transition?: Transition;
  /** Left out if a file of calls does not say. */
  readonly recorded?: Recorded;
  /** The reason why a recorded call cannot be decided again. */
  readonly not_replayable?: string;
}

const DECIDED: Readonly<Record<string, Effect>> = {
  tool_allowed: "allow",
  tool_asked: "ask_user",
  tool_denied: "deny",
};
/** The effect that a decision about a call had. `undefined` for other events. */
export const appliedEffect = ({ event_type }: LogEvent): Effect | undefined =>
  Object.hasOwn(DECIDED, event_type) ? DECIDED[event_type] : undefined;
const MOVED: ReadonlySet<string> = new Set(["phase_entered", "transition_blocked"]);

/** Reads one line. Throws BYLAW_LOG_INVALID with the line. */
export function logLine({ text, line }: TextLine, file: string, defaults: CallDefaults): LogLine {
  const bad = (message: string, fix?: string): BylawError =>
    new BylawError({ code: "BYLAW_LOG_INVALID", message, fix, source: { file, line } });
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!isBylawError(error)) throw error;
    throw bad(
      withoutLine(error.message),
      "Remove the line if the log was cut off in the middle of it",
    );
  }
  if (isJsonObject(value) && !Object.hasOwn(value, "event_type") && Object.hasOwn(value, "tool")) {
    try {
      const { id, call } = callFromLine(value, defaults);
      return { line, call, ...omitUndefined({ id }) };
    } catch (error) {
      if (!isBylawError(error)) throw error;
      const { id } = value;
      const unknown = Object.keys(value).some(
        (key) => !(CALL_KEYS as readonly string[]).includes(key),
      );
      if (unknown) throw bad(error.message, error.fix);
      return {
        line,
        not_replayable: error.message,
        ...(typeof id === "string" || typeof id === "number" ? { id } : {}),
      };
    }
  }
  if (!isEvent(value)) {
    throw bad(
      "The line is neither an event (`sequence`, `event_type`, `details`) nor a call (`tool`)",
    );
  }
  const event = value as unknown as LogEvent;
  const { sequence: id, event_type, details } = event;
  const recordedEffect = appliedEffect(event);
  if (MOVED.has(event_type)) return { line, id, event, ...transitionOf(event) };
  if (recordedEffect === undefined) return { line, id, event };
  return {
    line,
    id,
    event,
    recorded: recordedIn(details, recordedEffect),
    ...readRecordedCall(event),
  };
}

/** The transition in an event, as it was asked about, or why the log does not have all of it. */
function transitionOf({
  details,
  agent_id,
  task_id,
  timestamp,
}: LogEvent): Pick<LogLine, "transition" | "not_replayable"> {
  const { from, to, artifacts = null } = details;
  if (Array.isArray(details["redacted"]))
    return { not_replayable: "parts of the transition were redacted" };
  if (task_id === null || typeof to !== "string" || !isJsonObject(artifacts))
    return { not_replayable: "the transition was malformed and was refused" };
  const transition = omitUndefined({
    ...{ hook: "onTransition", task: task_id, agent: agent_id ?? undefined, at: timestamp },
    ...{ from, phase: from, to, artifacts },
  });
  return { transition: transition as unknown as Transition };
}

const isEvent = (value: Json): value is JsonObject =>
  isJsonObject(value) &&
  typeof value["event_type"] === "string" &&
  isJsonObject(value["details"] ?? null) &&
  Number.isSafeInteger(value["sequence"]);

function recordedIn({ decision }: JsonObject, recordedEffect: Effect): Recorded {
  if (!isJsonObject(decision ?? null)) return { effect: recordedEffect };
  const { effect, code, rule, approval } = decision as JsonObject;
  // A person's approval is not the policy's answer: the policy asked.
  const verdict = approval !== undefined ? "ask_user" : isEffect(effect) ? effect : recordedEffect;
  return {
    effect: verdict,
    ...(typeof code === "string" ? { code } : {}),
    ...(isJsonObject(rule ?? null) && typeof (rule as JsonObject)["name"] === "string"
      ? { rule: rule as unknown as RuleReference }
      : {}),
  };
}
