import { isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { Attributes } from "@opentelemetry/api";

/** The decision in an event, as far as telemetry reports it. */
export interface ReportedDecision {
  readonly hook: string;
  readonly effect: string;
  readonly applied: string;
  readonly code: string;
  /** The name of the deciding rule. Empty if no rule decided. */
  readonly rule: string;
}

/** The hook that each type of decision event belongs to. */
const HOOKS: Readonly<Record<string, string>> = {
  tool_allowed: "beforeToolCall",
  tool_asked: "beforeToolCall",
  tool_denied: "beforeToolCall",
  phase_entered: "onTransition",
  transition_blocked: "onTransition",
  behavior_applied: "onBehavior",
  behavior_rejected: "onBehavior",
  response_accepted: "onEnforcement",
  enforcement: "onEnforcement",
};
/** The longest text in an attribute, in UTF-16 units. */
const MAX_LENGTH = 256;
const MAX_CONTENT_LENGTH = 8_192;

/** The hook of the decision that an event records. `undefined` for an event that is no decision. */
export const hookOf = ({ event_type, details }: LogEvent): string | undefined =>
  isJsonObject(details["decision"]) ? HOOKS[event_type] : undefined;

/** The decision that an event of a hook records. */
export function decisionIn(hook: string, { details }: LogEvent): ReportedDecision {
  const { effect, applied = effect, code, rule } = details["decision"] as JsonObject;
  const name = isJsonObject(rule) ? rule["name"] : undefined;
  return { hook, effect: text(effect), applied: text(applied), code: text(code), rule: text(name) };
}

/** The name of the span of a decision. Like the span of a tool's execution, it ends with the name of the tool. */
export const spanName = (hook: string, { details: { tool } }: LogEvent): string =>
  hook === "beforeToolCall" ? `decide ${text(tool)}`.trim() : `decide ${hook}`;

/** The attributes of a decision's span. Without `content`, none of them holds arguments or prose. */
export function spanAttributes(
  run: string,
  event: LogEvent,
  { hook, effect, applied, code, rule }: ReportedDecision,
  { content }: { readonly content: boolean },
): Attributes {
  const { details, agent_id, task_id } = event;
  const decision = details["decision"] as JsonObject;
  const place = isJsonObject(decision["rule"]) ? decision["rule"] : {};
  return present({
    "gen_ai.tool.name": text(details["tool"]),
    "gen_ai.tool.call.id": text(details["id"]),
    "gen_ai.agent.id": text(agent_id),
    "bylaw.run": text(run),
    "bylaw.session": event.session_id,
    "bylaw.sequence": event.sequence,
    "bylaw.task": text(task_id),
    "bylaw.phase": text(details["to"] ?? details["phase"]),
    "bylaw.hook": hook,
    "bylaw.effect": effect,
    "bylaw.applied": applied,
    "bylaw.code": code,
    "bylaw.rule.name": rule,
    "bylaw.rule.file": text(place["file"]),
    "bylaw.rule.line": typeof place["line"] === "number" ? place["line"] : undefined,
    ...(content
      ? {
          "gen_ai.tool.call.arguments": contentOf(details["args"]),
          "bylaw.reason": contentOf(decision["reason"]),
        }
      : {}),
  });
}

/** The attributes of the decision counter: no names of tools, agents or runs, because their number has no bound. */
export const counterAttributes = ({
  hook,
  effect,
  applied,
  code,
  rule,
}: ReportedDecision): Attributes => ({
  "bylaw.hook": hook,
  "bylaw.effect": effect,
  "bylaw.applied": applied,
  "bylaw.code": code,
  "bylaw.rule.name": rule,
});

/** The attributes of the latency. */
export const latencyAttributes = ({ hook, effect }: ReportedDecision): Attributes => ({
  "bylaw.hook": hook,
  "bylaw.effect": effect,
});

/** The names of the metrics. */
export const METRICS = {
  decisions: "bylaw.decisions",
  latency: "bylaw.decision.duration",
  questions: "bylaw.questions.open",
  runs: "bylaw.runs.open",
  broken: "bylaw.runs.chain_broken",
} as const;

const text = (value: Json | undefined): string =>
  typeof value === "string" ? value.slice(0, MAX_LENGTH) : "";

const contentOf = (value: Json | undefined): string | undefined =>
  value === undefined
    ? undefined
    : (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_CONTENT_LENGTH);

const present = (given: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== ""),
  );
