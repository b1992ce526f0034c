import {
  createToolGuard,
  refusalError,
  type GuardedCall,
  type ResponseAnswer,
  type ToolAnswer,
  type ToolGuard,
  type ToolGuardOptions,
} from "@bylaw/host";
import { BylawError } from "@bylaw/kernel";
import type { FunctionTool, RunContext, Tool } from "@openai/agents";

/** The options of {@link guardTools}. */
export interface GuardOptions extends Omit<ToolGuardOptions, "host" | "session" | "task"> {
  /** The caller in a context of the run: the conversation, the task whose phase counts, and the person who answers (default: `user`). */
  readonly callerOf?: (context: RunContext) => Caller;
}
interface Caller {
  readonly session?: string;
  readonly task?: string;
  readonly approver?: string;
}

/** Options for an agent. */
export interface GuardedTools {
  /** The tools. They run only allowed calls, and are offered only in phases that allow them. */
  readonly tools: Tool[];
  /** Judges the final output. `outputInfo` is the result; `retry` has a message to send back. */
  readonly outputGuardrail: {
    readonly name: string;
    readonly execute: (given: {
      readonly agentOutput: unknown;
      readonly context: RunContext;
    }) => Promise<{ tripwireTriggered: boolean; outputInfo: ResponseAnswer }>;
  };
}

/**
 * Guards the tools of an agent with a run. Hosted tools stay as they are. Throws BYLAW_OPTIONS_INVALID for local tools that are not
 * functions: a shell, a computer, patches.
 */
export function guardTools(
  tools: readonly Tool[],
  { callerOf = () => ({}), ...options }: GuardOptions,
): GuardedTools {
  const guard = createToolGuard({ ...options, host: "openai-agents" });
  return {
    tools: tools.map((tool) => {
      if (tool.type === "function") return guardFunction(tool as FunctionTool, guard, callerOf);
      if (tool.type === "hosted_tool") return tool;
      throw new BylawError({
        code: "BYLAW_OPTIONS_INVALID",
        message: `The tool \`${tool.name}\` cannot be guarded, because it is not a function`,
        fix: "Give the agent a function tool instead.",
      });
    }),
    outputGuardrail: {
      name: "bylaw",
      async execute({ agentOutput: output, context }) {
        const text = typeof output === "string" ? output : JSON.stringify(output);
        const { task } = callerOf(context);
        const outputInfo = await guard.respond({ text, ...(task === undefined ? {} : { task }) });
        return { tripwireTriggered: outputInfo.kind !== "accepted", outputInfo };
      },
    },
  };
}

type CallerOf = (context: RunContext) => Caller;

function guardFunction(tool: FunctionTool, guard: ToolGuard, callerOf: CallerOf): Tool {
  const { name } = tool;
  const denied = new WeakMap<object, Map<string, string>>();
  const guarded: Partial<FunctionTool> = {
    async isEnabled(context, agent) {
      const { task } = callerOf(context);
      const allowed = await guard.allowedTools([name], task === undefined ? {} : { task });
      return allowed.length > 0 && (await tool.isEnabled(context, agent));
    },

    async needsApproval(context, args, id) {
      const answer = await guard.judge(callOf(name, args, id, callerOf(context)));
      if (answer.kind === "ask") return true;
      if (answer.kind === "run") {
        const { changed } = answer;
        const judged = changed === undefined ? args : (answer.args as unknown as typeof args);
        const own = await tool.needsApproval(context, judged, id);
        // A person would see other arguments than those that run.
        if (!own || changed === undefined) return own;
      }
      const reasons = denied.get(context) ?? new Map<string, string>();
      const reason = answer.kind === "run" ? (answer.changed ?? "") : answer.reason;
      denied.set(context, reasons.set(id ?? "", reason));
      return false;
    },

    inputGuardrails: [
      {
        ...{ type: "tool_input", name: "bylaw" },
        async run({ context, toolCall: { callId } }) {
          const message = denied.get(context)?.get(callId);
          denied.get(context)?.delete(callId);
          return {
            behavior:
              message === undefined ? { type: "allow" } : { type: "rejectContent", message },
          };
        },
      },
      // These must see what runs.
      ...(tool.inputGuardrails ?? []).map((one) => ({
        ...one,
        run: async (given: Parameters<typeof one.run>[0]) => {
          const { context, toolCall } = given;
          const args = argsIn(toolCall.arguments);
          const answer = await guard.judge(callOf(name, args, toolCall.callId, callerOf(context)));
          return await one.run({ ...given, toolCall: { ...toolCall, ...changedText(answer) } });
        },
      })),
    ],

    invoke: guardInvoke(tool, guard, callerOf),
  };
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(tool));
  return Object.assign(copy, guarded) as Tool;
}

function guardInvoke(
  tool: FunctionTool,
  guard: ToolGuard,
  callerOf: CallerOf,
): FunctionTool["invoke"] {
  const { name: toolName } = tool;
  return async (context, input, details) => {
    const caller = callerOf(context);
    const callId = details?.toolCall?.callId ?? crypto.randomUUID();
    const call = callOf(toolName, argsIn(input), callId, caller);
    // The state of the run may be forged, so an approval counts only if exactly this call was asked about.
    const approved = context.isToolApproved({ toolName, callId }) === true;
    const answered = approved ? { approved, by: caller.approver } : undefined;
    const answer = await guard.start(call, answered);
    // An error thrown here would end the run.
    if (answer.kind !== "run") return refusalError(answer).message;
    let ok = false;
    try {
      const result = await tool.invoke(
        context,
        JSON.stringify(answer.args),
        answer.changed === undefined || details?.toolCall === undefined
          ? details
          : { ...details, toolCall: { ...details.toolCall, ...changedText(answer) } },
      );
      ok = true;
      return result;
    } finally {
      await guard.finish(call, { ok });
    }
  };
}

const callOf = (
  tool: string,
  args: unknown,
  id: string | undefined,
  { session, task }: Caller,
): GuardedCall => ({ tool, args, id, session, task });

const changedText = (answer: ToolAnswer): { readonly arguments?: string } =>
  answer.kind === "run" && answer.changed !== undefined
    ? { arguments: JSON.stringify(answer.args) }
    : {};

// Undefined arguments make the call invalid, so it is denied.
function argsIn(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return undefined;
  }
}
