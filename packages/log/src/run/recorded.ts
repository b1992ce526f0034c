import {
  freezeJson,
  isJsonObject,
  omitUndefined,
  type Decision,
  type EventDraft,
  type Json,
  type JsonObject,
  type Response,
  type Subject,
  type ToolCall,
} from "@bylaw/kernel";
import type { HookName, PolicyName } from "../state/policies.ts";
import type { AskOptions } from "./run-contract.ts";
import { UNCOUNTED_REASONS, MAX_ATTEMPTS } from "../state/turns.ts";

type ResponseCall = NonNullable<Response["tool_calls"]>[number];

type Describe = (
  subject: Subject,
  decision: Decision,
  options: AskOptions,
) => readonly [type: string, details: JsonObject];

const TOOL_EVENT = { allow: "tool_allowed", ask_user: "tool_asked", deny: "tool_denied" } as const;

const DESCRIBE: Readonly<Record<HookName, Describe>> = {
  beforeToolCall: (subject, { applied }, { expires_at }) => [
    TOOL_EVENT[applied],
    {
      ...fieldsOf(subject, ...CALL_FIELDS),
      ...registryOf(subject),
      ...factOf(subject, "marks"),
      ...(applied === "ask_user" && expires_at !== undefined && { expires_at }),
    },
  ],
  onTransition: (subject, { applied }) => [
    applied === "allow" ? "phase_entered" : "transition_blocked",
    { ...fieldsOf(subject, "from", "to", "artifacts"), ...factOf(subject, "commit") },
  ],
  onBehavior: (subject, { applied, directive }) => [
    applied === "allow" ? "behavior_applied" : "behavior_rejected",
    {
      ...fieldsOf(subject, "action", "reason", "trigger_agent_id", "step"),
      ...(directive && { directive }),
    },
  ],
  onEnforcement: (subject, decision) =>
    decision.effect === "allow"
      ? [
          "response_accepted",
          { ...fieldsOf(subject, "round", "attempt"), ...bounded(turnFacts(subject)) },
        ]
      : ["enforcement", violation(subject as Response, decision)],
};

/** The event that records the decision about a subject. */
export function eventOf(
  { hook, options }: { readonly hook: HookName; readonly options: AskOptions },
  subject: Subject,
  decision: Decision,
  policies: PolicyName,
): readonly [type: string, details: JsonObject] {
  const [type, details] = DESCRIBE[hook](subject, decision, options);
  const trace = factOf(subject, "trace");
  return [type, { ...details, ...trace, decision: written(decision, policies) }];
}

function fieldsOf(subject: Subject, ...fields: readonly string[]): JsonObject {
  const found: Record<string, Json> = {};
  for (const field of fields) {
    const value = (subject as unknown as JsonObject)[field];
    if (value !== undefined) found[field] = value;
  }
  return found;
}

// Omits undefined fields, because a log cannot hold them.
function written(
  { id: _id, hook: _hook, policy, ...said }: Decision,
  { digest: policy_digest, known }: PolicyName,
): JsonObject {
  const decision = known ? { ...said, policy_digest } : { ...said, policy, policy_digest };
  try {
    return freezeJson(decision) as JsonObject;
  } catch {
    // Votes that are not plain data are converted by their `toJSON`. `freezeJson` comes first because it is four times as fast.
    return JSON.parse(JSON.stringify(decision)) as JsonObject;
  }
}

// Everything that a later decision about the same call needs, except for the links in its paths.
const CALL_FIELDS = [
  ...["id", "tool", "server", "args", "annotations", "cwd", "workspace", "home"],
  ...["approval_mode", "interactive", "phase"],
];

// Only the servers and tools that the name may refer to, because whole registries would fill the log.
function registryOf(subject: Subject): JsonObject {
  const { tool, server, servers } = subject as Partial<ToolCall>;
  if (tool === undefined || servers === undefined) return {};
  const near = Object.entries(servers).flatMap(([name, tools]): [string, Json][] => {
    const listed = tools.filter((one) => tool.endsWith(one));
    return name === server || (tool.includes(name) && listed.length > 0) ? [[name, listed]] : [];
  });
  return { servers: Object.fromEntries(near) };
}

// A value in the facts of a plugin that the log keeps: the commit at which a task began, the marks that a call sets, or the trace in which
// a decision was asked for.
function factOf({ facts = {} }: Subject, name: "commit" | "marks" | "trace"): JsonObject {
  for (const plugin in facts) {
    const of = facts[plugin];
    const value = isJsonObject(of) ? of[name] : undefined;
    if (value !== undefined) return { [name]: value };
  }
  return {};
}

/** The fields that a plugin may set in `turn` of its facts about a response. */
const TURN_FACTS = ["terminal", "progress", "unknown_tools"] as const;

// The facts that say how the response affects the turn: a final answer or vote, progress, or unknown tools.
function turnFacts({ facts = {} }: Subject): JsonObject {
  const turns = Object.values(facts).map((of) =>
    isJsonObject(of) && isJsonObject(of["turn"]) ? of["turn"] : {},
  );
  const turn: JsonObject = Object.assign({}, ...turns) as JsonObject;
  return omitUndefined(
    Object.fromEntries(TURN_FACTS.map((name) => [name, turn[name]])),
  ) as JsonObject;
}

/** The decision about a response, with how the turn continues. The last attempt always ends the turn, whichever plugin refused. */
export function recovered(subject: Subject, decision: Decision): Decision {
  if (subject.hook !== "onEnforcement" || decision.effect === "allow") return decision;
  const recovery = isFinal(subject, decision) ? "end" : (decision.recovery ?? "restart");
  return recovery === decision.recovery ? decision : { ...decision, recovery };
}

const isFinal = (
  { attempt = 1, max_attempts = MAX_ATTEMPTS }: Response,
  { recovery, code }: Decision,
): boolean => recovery === "end" || (attempt >= max_attempts && !UNCOUNTED_REASONS.has(code));

function violation(response: Response, decision: Decision): JsonObject {
  const { message, reason, code, recovery = "restart" } = decision;
  const {
    text = "",
    tool_calls = [],
    round = 1,
    attempt = 1,
    max_attempts = MAX_ATTEMPTS,
  } = response;
  const final = isFinal(response, decision);
  const calls = {
    reason: code,
    tool_calls: namesOf(response, tool_calls, code),
    error_message: message ?? reason,
  };
  const buffer = bufferOf(text, tool_calls);
  const ended = {
    buffer_preview: upTo(buffer, WINDOW),
    buffer_chars: charactersOf(buffer),
    // Omit the text if the preview holds all of it.
    ...(buffer.length > PREVIEW ? { buffer_text: upTo(buffer, BUFFER + WINDOW) } : {}),
    recovery: final ? "end" : recovery,
    final,
  };
  return { round, attempt, max_attempts, ...calls, ...ended };
}

/**
 * Everything that the model wrote: its text, and its calls with their arguments, because a rejected answer is in the arguments of a tool.
 */
const bufferOf = (text: string, calls: readonly ResponseCall[]): string =>
  [
    ...(text === "" ? [] : [text]),
    ...calls.map(({ tool, args }) => `[Tool Call: ${upTo(tool, NAME_WINDOW)}(${argsText(args)})]`),
  ].join("\n");

// Some hosts pass the arguments on as the model's raw text.
const argsText = (args: Json | undefined): string =>
  args === undefined ? "" : typeof args === "string" ? args : JSON.stringify(args);

// For unknown tools, only the unknown names are recorded, so that the known ones do not look unknown.
function namesOf(
  response: Response,
  calls: readonly ResponseCall[],
  code: string,
): readonly Json[] {
  const { unknown_tools: unknown } = turnFacts(response);
  if (code === "unknown_tool" && Array.isArray(unknown) && unknown.length > 0)
    return unknown.slice(0, NAMES).map(nameIn);
  return calls.slice(0, NAMES).map(({ tool }) => nameIn(tool));
}

function bounded({ unknown_tools: unknown, ...facts }: JsonObject): JsonObject {
  return Array.isArray(unknown)
    ? { ...facts, unknown_tools: unknown.slice(0, NAMES).map(nameIn) }
    : facts;
}

const nameIn = (name: Json): Json => (typeof name === "string" ? upTo(name, NAME_WINDOW) : name);

/** The most names that are recorded, so that one response cannot fill the log. */
const NAMES = 200;
/** How much of a text redactors see, so that a secret which the preview cuts in two is still whole for them. */
const WINDOW = 16_384;
const PREVIEW = 500;
/** Limits on what is recorded of a refused response. */
const BUFFER = 32_768;
const NAME = 256;
const NAME_WINDOW = 1_024;

/**
 * Shortens an event after redactors have seen it: the preview of a buffer to 500 whole characters, its text to 32,768 UTF-16 units, and
 * each tool name to 256.
 */
export function clipped(event: EventDraft): EventDraft {
  const cut: Record<string, Json> = {};
  const { buffer_preview: preview, buffer_text: whole, tool_calls, unknown_tools } = event.details;
  if (event.event_type === "enforcement") {
    if (typeof whole === "string" && whole.length > BUFFER)
      cut["buffer_text"] = upTo(whole, BUFFER);
    if (typeof preview === "string" && preview.length > PREVIEW)
      cut["buffer_preview"] = Array.from(preview.slice(0, 2 * PREVIEW))
        .slice(0, PREVIEW)
        .join("");
    if (Array.isArray(tool_calls) && tool_calls.some(isLong))
      cut["tool_calls"] = tool_calls.map(cutName);
  } else if (
    event.event_type === "response_accepted" &&
    Array.isArray(unknown_tools) &&
    unknown_tools.some(isLong)
  )
    cut["unknown_tools"] = unknown_tools.map(cutName);
  if (Object.keys(cut).length === 0) return event;
  return Object.freeze({
    ...event,
    details: freezeJson({ ...event.details, ...cut }) as JsonObject,
  });
}

const isLong = (name: Json): boolean => typeof name === "string" && name.length > NAME;
const cutName = (name: Json): Json => (typeof name === "string" ? upTo(name, NAME) : name);

const upTo = (text: string, end: number): string =>
  text.slice(0, text.length > end && (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end);

// The second half of a surrogate pair does not count as a character.
function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}
