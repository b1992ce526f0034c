import { canonicalJson, isJsonObject, type Json, type JsonObject, type LogEvent, type ToolCall } from "@bylaw/kernel";
import { approvalDigest } from "@bylaw/log";
import { callIn } from "../recorded-call.ts";

/** A tool call that needs a person's yes and has none. */
export interface OpenCall {
  readonly kind: "call";
  readonly sequence: number;
  readonly asked_at: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly tool: string;
  readonly args: Json;
  /** What the policy said. */
  readonly reason: string;
  /** The policies that asked. */
  readonly policy: Json;
  /** The call as it was asked about; left out where the log does not have all of it. */
  readonly call?: ToolCall;
  /** What an approval of it is bound to. */
  readonly digest: string;
}

/** Folds the calls that wait. */
export interface CallFold {
  add(event: LogEvent): void;
  /** Those that nobody answered since they were last asked about; `at`: now, in milliseconds since 1970. */
  open(at: number): Promise<readonly OpenCall[]>;
}

const DECIDED: ReadonlySet<string> = new Set(["tool_asked", "tool_allowed", "tool_denied"]);
/** Denied because nobody was there to say yes: a yes still lets the next one pass. */
const UNANSWERED: ReadonlySet<string> = new Set(["approval_unavailable", "approval_expired"]);

export function createCallFold(): CallFold {
  const asked = new Map<string, LogEvent>();
  // By digest: until when.
  const granted = new Map<string, { readonly sequence: number; readonly until: number }>();

  function settle(details: JsonObject): void {
    const { approval } = decisionOf(details);
    if (approval === undefined) return;
    for (const [digest, { sequence }] of granted) if (sequence === approval) granted.delete(digest);
  }

  return {
    add(event) {
      const { event_type, sequence, details } = event;
      if (event_type === "approval_granted") {
        granted.set(String(details["digest"]), { sequence, until: Date.parse(String(details["expires_at"])) });
        return;
      }
      if (!DECIDED.has(event_type)) return;
      settle(details);
      const key = keyOf(event);
      asked.delete(key);
      if (event_type === "tool_asked" || UNANSWERED.has(codeOf(details))) asked.set(key, event);
    },
    async open(at) {
      const calls = await Promise.all([...asked.values()].map(openCall));
      return calls.filter(({ digest }) => (granted.get(digest)?.until ?? 0) <= at);
    },
  };
}

const keyOf = ({ agent_id, task_id, details }: LogEvent): string => {
  const { tool = null, server = null, args = null, cwd = null } = details;
  return canonicalJson([agent_id, task_id, tool, server, args, cwd]);
};

const decisionOf = ({ decision = null }: JsonObject): JsonObject => (isJsonObject(decision) ? decision : {});

const codeOf = (details: JsonObject): string => String(decisionOf(details)["code"] ?? "");

async function openCall(event: LogEvent): Promise<OpenCall> {
  const { sequence, timestamp: asked_at, agent_id: agent, task_id: task, details } = event;
  const decision = decisionOf(details);
  const policy = decision["policy"] ?? {};
  const { call } = callIn(event);
  const digest = call === undefined ? "" : await approvalDigest(call, policy as Readonly<Record<string, string>>);
  return {
    kind: "call",
    ...{ sequence, asked_at, agent, task, tool: String(details["tool"] ?? ""), args: details["args"] ?? null },
    reason: typeof decision["reason"] === "string" ? decision["reason"] : "",
    policy,
    ...(call === undefined ? {} : { call }),
    digest,
  };
}
