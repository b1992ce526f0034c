import {
  present,
  type Decision,
  type HookName,
  type Json,
  type JsonObject,
  type Response,
  type Subject,
  type ToolCall,
} from "@bylaw/kernel";

type Describe = (subject: Subject, decision: Decision) => readonly [type: string, details: JsonObject];

const TOOL_EVENT = { allow: "tool_allowed", ask_user: "tool_asked", deny: "tool_denied" } as const;

const DESCRIBE: Readonly<Record<HookName, Describe>> = {
  beforeToolCall: (subject, { applied }) => [TOOL_EVENT[applied], { ...fieldsOf(subject, ...CALL_FIELDS), ...registryOf(subject) }],
  onTransition: (subject, { applied }) => [
    applied === "allow" ? "phase_entered" : "transition_blocked",
    fieldsOf(subject, "from", "to", "artifacts"),
  ],
  onBehavior: (subject, { applied, directive }) => [
    applied === "allow" ? "behavior_applied" : "behavior_rejected",
    { ...fieldsOf(subject, "action", "reason", "trigger_agent_id", "step"), ...(directive && { directive }) },
  ],
  onEnforcement: (subject, decision) =>
    decision.effect === "allow"
      ? ["response_accepted", fieldsOf(subject, "round", "attempt")]
      : ["enforcement", violation(subject as Response, decision)],
};

/** The event that says what came of a subject. */
export function eventOf(hook: HookName, subject: Subject, decision: Decision): readonly [type: string, details: JsonObject] {
  const [type, details] = DESCRIBE[hook](subject, decision);
  return [type, { ...details, decision: written(decision) }];
}

const fieldsOf = (subject: Subject, ...fields: readonly string[]): JsonObject =>
  present(Object.fromEntries(fields.map((field) => [field, (subject as unknown as JsonObject)[field]]))) as JsonObject;

// Through JSON, because what is undefined has no place in a log.
const written = ({ id: _id, hook: _hook, ...decision }: Decision): JsonObject => JSON.parse(JSON.stringify(decision)) as JsonObject;

// All that a later decision about the same call needs, but for the links of its paths.
const CALL_FIELDS = [
  ...["id", "tool", "server", "args", "annotations", "cwd", "workspace", "home"],
  ...["approval_mode", "interactive", "phase"],
];

// Of the registered servers only the tools that the name could stand for: whole registries would fill the log.
function registryOf(subject: Subject): JsonObject {
  const { tool, server, servers } = subject as Partial<ToolCall>;
  if (tool === undefined || servers === undefined) return {};
  const near = Object.entries(servers).flatMap(([name, tools]): [string, Json][] => {
    const listed = tools.filter((one) => tool.endsWith(one));
    return name === server || (tool.includes(name) && listed.length > 0) ? [[name, listed]] : [];
  });
  return { servers: Object.fromEntries(near) };
}

function violation(response: Response, { message, reason, code, recovery = "restart" }: Decision): JsonObject {
  const { text = "", tool_calls = [], round = 1, attempt = 1, max_attempts = 1 } = response;
  const calls = { reason: code, tool_calls: tool_calls.map(({ tool }): Json => tool), error_message: message ?? reason };
  const buffer_preview = Array.from(text.slice(0, 1_000)).slice(0, 500).join("");
  const ended = { buffer_preview, buffer_chars: text.length, recovery, final: attempt >= max_attempts };
  return { round, attempt, max_attempts, ...calls, ...ended };
}
