import {
  createToolGuard,
  haltFields,
  refusalError,
  stringField,
  type GuardedCall,
  type PersonAnswer,
  type ToolAnswer,
  type ToolGuard,
  type ToolGuardOptions,
} from "@bylaw/host";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, messageOf, type JsonObject } from "@bylaw/kernel";

/** A call that a person must approve. */
export interface Question {
  readonly tool: string;
  readonly args: JsonObject;
  readonly reason: string;
  /** The id of the question for `bylaw approve`. */
  readonly question: string;
}

/** The options of {@link guardAgent}. */
export interface GuardOptions extends Omit<ToolGuardOptions, "host" | "session"> {
  /** Asks a person and waits for the answer. If left out, the call is denied with the id of the question. */
  readonly ask?: (question: Question) => PersonAnswer | Promise<PersonAnswer>;
}

/** The SDK's input to a hook. */
export type HookEvent = object;

/** A hook's answer to the SDK. */
export type HookAnswer =
  | Record<string, never>
  | { readonly decision: "block"; readonly reason: string }
  | {
      readonly hookSpecificOutput: {
        readonly hookEventName: "PreToolUse";
        readonly permissionDecision: "ask" | "deny";
        readonly permissionDecisionReason: string;
      };
      /** The run is over, and so is the turn of the agent. */
      readonly continue?: false;
      readonly stopReason?: string;
    }
  | {
      readonly hookSpecificOutput: {
        readonly hookEventName: "PreToolUse";
        readonly updatedInput: JsonObject;
      };
    };

/** Whether the SDK may run a call. */
export type PermissionAnswer =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string };

type Hook = (event: HookEvent) => Promise<HookAnswer>;
interface Hooks {
  hooks: Hook[];
  onFailure: "block";
}

/** Options for the SDK's `query`. */
export interface AgentGuard {
  /** The tools that the phase of the task does not allow, for the SDK's option `disallowedTools`. */
  readonly disallowedTools: (tools: readonly string[]) => Promise<string[]>;
  readonly hooks: Record<"PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "Stop", Hooks[]>;
  readonly canUseTool: (
    tool: string,
    input: Record<string, unknown>,
    options: { readonly toolUseID: string },
  ) => Promise<PermissionAnswer>;
}

const TOOL_EVENT = "PreToolUse";

/** The most calls to remember until they end. */
const KNOWN = 1_000;

/** Guards an agent of the Claude Agent SDK with a run. */
export function guardAgent({ ask, ...options }: GuardOptions): AgentGuard {
  const guard = createToolGuard({ ...options, host: "agent-sdk" });
  // The folder and conversation of each call. `canUseTool` does not get them.
  const known = new Map<string, Origin>();

  const before: Hook = async (event) => {
    const call = callIn(event);
    const answer = await guard.judge(call);
    if (call.id !== undefined) remember(known, call.id, call, answer);
    return answerOf(answer);
  };

  const after = (ok: boolean): Hook => {
    return async (event) => {
      const call = callIn(event);
      // The permission was given for the arguments of the model.
      const { given = call.args } = known.get(call.id ?? "")?.changed ?? {};
      known.delete(call.id ?? "");
      await guard.finish({ ...call, args: given }, { ok });
      return {};
    };
  };

  const stop: Hook = async (event) => {
    const text = isJsonObject(event) ? stringField(event, "last_assistant_message") : undefined;
    const answer = await guard.respond(text === undefined ? {} : { text });
    return answer.kind === "retry" ? { decision: "block", reason: answer.message } : {};
  };

  const hooks = (hook: Hook): Hooks[] => [{ hooks: [hook], onFailure: "block" }];
  return {
    hooks: {
      PreToolUse: hooks(before),
      PostToolUse: hooks(after(true)),
      PostToolUseFailure: hooks(after(false)),
      Stop: hooks(stop),
    },
    async disallowedTools(tools) {
      const allowed = await guard.allowedTools(tools);
      return tools.filter((tool) => !allowed.includes(tool));
    },
    async canUseTool(tool, args, { toolUseID: id }) {
      const { changed, ...origin } = known.get(id) ?? {};
      // The SDK asks about the call that runs instead, which was judged with the one of the model.
      const judged = changed !== undefined && isDeepStrictEqual(args, changed.args);
      return await permit(guard, { ...origin, tool, args: judged ? changed.given : args, id }, ask);
    },
  };
}

function answerOf(answer: ToolAnswer): HookAnswer {
  if (answer.kind === "run")
    // No opinion about whether it runs: the SDK applies its own permissions.
    return answer.changed === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: TOOL_EVENT, updatedInput: answer.args } };
  return {
    hookSpecificOutput: {
      hookEventName: TOOL_EVENT,
      permissionDecision: answer.kind,
      permissionDecisionReason: answer.reason,
    },
    ...haltFields(answer),
  };
}

async function permit(
  guard: ToolGuard,
  call: GuardedCall,
  ask: GuardOptions["ask"],
): Promise<PermissionAnswer> {
  try {
    let answer = await guard.judge(call);
    if (answer.kind === "ask" && ask !== undefined) {
      const { reason, question } = answer;
      const args = call.args as JsonObject;
      answer = await guard.answer(call, await ask({ tool: call.tool, args, reason, question }));
    }
    return answer.kind === "run"
      ? { behavior: "allow", updatedInput: answer.args }
      : { behavior: "deny", message: refusalError(answer).message };
  } catch (error) {
    return { behavior: "deny", message: messageOf(error) };
  }
}

function callIn(event: HookEvent): GuardedCall {
  const fields = event as Readonly<Record<string, unknown>>;
  const text = (key: string): string | undefined => {
    const value = fields[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const server = fields["mcp_server"];
  return {
    tool: text("tool_name") ?? "",
    args: fields["tool_input"],
    id: text("tool_use_id"),
    session: text("session_id"),
    agent: text("agent_id"),
    cwd: text("cwd"),
    server: isJsonObject(server) ? stringField(server, "name") : undefined,
  };
}

interface Origin extends Omit<GuardedCall, "tool" | "args" | "id"> {
  /** The arguments of the model, and those that run instead. */
  readonly changed?: { readonly given: unknown; readonly args: JsonObject };
}

// Without the arguments of other calls, which may be large.
function remember(
  known: Map<string, Origin>,
  id: string,
  { tool: _, args: given, ...origin }: GuardedCall,
  answer: ToolAnswer,
): void {
  const isChanged = answer.kind === "run" && answer.changed !== undefined;
  known.set(id, { ...origin, ...(isChanged ? { changed: { given, args: answer.args } } : {}) });
  const [oldest] = known.keys();
  if (known.size > KNOWN && oldest !== undefined) known.delete(oldest);
}
