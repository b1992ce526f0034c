import {
  createToolGuard,
  refusalError,
  type GuardedCall,
  type PersonAnswer,
  type ToolGuard,
  type ToolGuardOptions,
} from "@bylaw/host";
import { BylawError } from "@bylaw/kernel";
import type { InputProcessor, OutputProcessor } from "@mastra/core/processors";

/** The options of {@link guardTools}. */
export interface GuardOptions extends Omit<ToolGuardOptions, "host"> {}

/** The payload with which a call suspends the agent: it waits for a person. */
export interface ApprovalSuspension {
  readonly tool: string;
  readonly args: unknown;
  readonly id: string;
  readonly thread: string;
  readonly reason: string;
  /** The id of the question for `bylaw approve`. */
  readonly question: string;
}

/** The value to resume the agent with. It grants nothing: an approval counts only from the log. */
interface ApprovalResume {
  readonly approved: boolean;
  readonly reason?: string;
}

/** A tool of `createTool`, as far as it is guarded. */
interface GuardableTool {
  readonly execute?: Execute | undefined;
  readonly requireApproval?: unknown;
}
type Execute = (args: never, context: never) => unknown;

/** Options for `Agent`, and a function that records a person's answer. */
export interface GuardedTools<TOOLS> {
  readonly agent: {
    /** The tools. They run only allowed calls, whatever calls them. */
    readonly tools: TOOLS;
    /** Offers the model only the tools that the phase of the task allows. */
    readonly inputProcessors: InputProcessor[];
    /** Judges finished responses. A retry needs `maxProcessorRetries`. */
    readonly outputProcessors: OutputProcessor[];
  };
  /**
   * Records a person's answer to a suspended call, and returns the value for `resumeStream` or `resumeGenerate`. Both must happen in
   * one process, which may be another than the one that asked. Throws BYLAW_TOOL_REFUSED if the answer does not count.
   */
  readonly answer: (suspended: unknown, answer: PersonAnswer) => Promise<ApprovalResume>;
}

/** Guards the tools of an agent with a run. */
export function guardTools<TOOLS extends Readonly<Record<string, GuardableTool>>>(
  tools: TOOLS,
  options: GuardOptions,
): GuardedTools<TOOLS> {
  const guard = createToolGuard({ ...options, host: "mastra" });
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool, guard)]);
  return {
    agent: {
      tools: Object.fromEntries(guarded) as TOOLS,
      inputProcessors: [offerAllowed(guard)],
      outputProcessors: [judgeResponses(guard)],
    },
    async answer(suspended, { approved, by, reason }) {
      const asked = suspensionIn(suspended) ?? suspensionIn(payloadIn(suspended));
      if (asked === undefined)
        throw new BylawError({
          code: "BYLAW_TOOL_REFUSED",
          message: "The payload holds no question",
          fix: "Pass the `suspendPayload` of a result or of a chunk `tool-call-suspended`",
        });
      const { tool, args, id, thread: session } = asked;
      const given = { approved, by, ...(reason === undefined ? {} : { reason }) };
      const settled = await guard.answer({ tool, args, id, session }, given);
      if (approved && settled.kind !== "run") throw refusalError(settled);
      return settled.kind === "deny"
        ? { approved: false, reason: settled.reason }
        : { approved: true };
    },
  };
}

/** The part of Mastra's context that concerns a suspended call. */
interface CallContext {
  readonly agent?: {
    readonly toolCallId?: string;
    readonly threadId?: string;
    readonly suspend?: (payload: ApprovalSuspension) => Promise<void>;
    readonly resumeData?: unknown;
    readonly suspendPayload?: unknown;
  };
  readonly requestContext?: { get(key: string): unknown };
}

// The options `requireApproval` of a tool and `requireToolApproval` of an agent.
const asksItself = (
  { requireApproval = false }: GuardableTool,
  { requestContext }: CallContext = {},
): boolean =>
  requireApproval !== false ||
  (requestContext?.get("__mastra_requireToolApproval") ?? false) !== false;

function guardTool<Guardable extends GuardableTool>(
  name: string,
  tool: Guardable,
  guard: ToolGuard,
): Guardable {
  const inner = tool.execute as ((args: unknown, context: unknown) => unknown) | undefined;
  if (inner === undefined) return tool;
  const execute = async (args: unknown, context: CallContext | undefined): Promise<unknown> => {
    const { toolCallId, threadId: session = "", ...agent } = context?.agent ?? {};
    const call: GuardedCall = { tool: name, args, id: toolCallId ?? crypto.randomUUID(), session };
    const asked = suspensionIn(agent.suspendPayload);
    if (asked !== undefined && isRefusal(agent.resumeData)) throw refused(agent.resumeData);
    // Mastra takes `resumeData` from the arguments of the model too, so a yes counts only if the log has it.
    if (asked === undefined) {
      const judged = await guard.judge(call);
      if (judged.kind === "deny") throw refusalError(judged);
      if (judged.kind === "ask") return await suspended(agent.suspend, call, judged);
    }
    const started = await guard.start(call);
    if (started.kind === "ask") return await suspended(agent.suspend, call, started);
    if (started.kind !== "run") throw refusalError(started);
    let ok = false;
    try {
      // A person of Mastra has approved the arguments of the model.
      if (started.changed !== undefined && asksItself(tool, context))
        throw refusalError({ kind: "deny", reason: started.changed });
      const result = await inner.call(tool, started.args, context);
      ok = true;
      return result;
    } finally {
      await guard.finish(call, { ok });
    }
  };
  const copy = Object.create(Object.getPrototypeOf(tool) as object) as Guardable;
  return Object.assign(copy, tool, { execute });
}

type Asked = { readonly kind: "ask"; readonly reason: string; readonly question: string };

async function suspended(
  suspend: ((payload: ApprovalSuspension) => Promise<void>) | undefined,
  { tool, args, id = "", session = "" }: GuardedCall,
  asked: Asked,
): Promise<void> {
  // A tool that no agent calls cannot wait for a person.
  if (suspend === undefined) throw refusalError(asked);
  const { reason, question } = asked;
  await suspend({ tool, args, id, thread: session, reason, question });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function suspensionIn(value: unknown): ApprovalSuspension | undefined {
  if (!isObject(value)) return undefined;
  const { tool, args, id, thread, reason, question } = value;
  const texts = [tool, id, thread, reason, question];
  return texts.every((text) => typeof text === "string")
    ? ({ tool, args, id, thread, reason, question } as ApprovalSuspension)
    : undefined;
}

// A result names the tool and its call around the payload.
const payloadIn = (value: unknown): unknown =>
  isObject(value) ? value["suspendPayload"] : undefined;

const isRefusal = (value: unknown): value is { readonly reason?: unknown } =>
  isObject(value) && value["approved"] === false;

const refused = ({ reason }: { readonly reason?: unknown }): BylawError =>
  new BylawError({
    code: "BYLAW_TOOL_REFUSED",
    message: typeof reason === "string" ? reason : "A person refused this call",
  });

const offerAllowed = (guard: ToolGuard): InputProcessor => ({
  id: "bylaw-tools",
  async processInputStep({ tools = {}, activeTools = Object.keys(tools) }) {
    return { activeTools: [...(await guard.allowedTools(activeTools))] };
  },
});

const judgeResponses = (guard: ToolGuard): OutputProcessor => ({
  id: "bylaw-responses",
  async processOutputStep({ text = "", toolCalls = [], messages, abort }) {
    if (toolCalls.length > 0) return messages;
    const answer = await guard.respond({ text });
    if (answer.kind === "accepted") return messages;
    return abort(answer.message, { retry: answer.kind === "retry" });
  },
});
