import {
  createToolGuard,
  refusalError,
  type PersonAnswer,
  type ToolGuardOptions,
} from "@bylaw/host";
import {
  AIMessage,
  HumanMessage,
  ToolMessage,
  createMiddleware,
  type AgentMiddleware,
} from "langchain";

/** The options of {@link guardMiddleware}. */
export interface GuardOptions extends Omit<ToolGuardOptions, "host"> {
  /** The name of the person who answers, if the resume value names nobody. Default: `user`. */
  readonly approver?: string;
}

/** The value of an interrupt: a call that a person must approve. Resume with an {@link ApprovalResume}. */
export interface ApprovalInterrupt {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly reason: string;
  /** The id of the question for `bylaw approve`. */
  readonly question: string;
}

/** The value that resumes an interrupted agent. */
export interface ApprovalResume extends PersonAnswer {
  /** The question that the person saw. An approval of another question has no effect. */
  readonly question: string;
}

/** The middleware of `createAgent` that guards its tools with a run. Put it first, so that no other middleware is between it and a call. */
export function guardMiddleware({
  approver,
  ...options
}: GuardOptions): AgentMiddleware<undefined, undefined, unknown> {
  const guard = createToolGuard({ ...options, host: "langchain" });
  return createMiddleware({
    name: "Bylaw",

    async wrapModelCall(request, handler) {
      const names = request.tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
      const allowed = await guard.allowedTools(names);
      const tools = request.tools.filter(
        ({ name }) => typeof name !== "string" || allowed.includes(name),
      );
      return await handler({ ...request, tools });
    },

    async wrapToolCall(request, handler) {
      const { toolCall, runtime } = request;
      const { id = "", name, args } = toolCall;
      const refused = (content: string): ToolMessage =>
        new ToolMessage({ content, name, tool_call_id: id, status: "error" });
      if (id === "") return refused("A call without an id cannot be judged.");
      const call = { tool: name, args, id, session: sessionOf(runtime.configurable) };
      const judged = await guard.judge(call);
      if (judged.kind === "deny") return refused(judged.reason);
      let answered: PersonAnswer | undefined;
      if (judged.kind === "ask") {
        const { reason, question } = judged;
        const asked: ApprovalInterrupt = { tool: name, args, reason, question };
        // Throws until somebody answers. Then this function runs again from its start.
        answered = answerTo(question, runtime.interrupt?.(asked), approver);
        if (answered === undefined) return refused(refusalError(judged).message);
      }
      const started = await guard.start(call, answered);
      if (started.kind !== "run") return refused(refusalError(started).message);
      let ok = false;
      try {
        const result = await handler({ ...request, toolCall: { ...toolCall, args: started.args } });
        ok = !(result instanceof ToolMessage) || result.status !== "error";
        return result;
      } finally {
        await guard.finish(call, { ok });
      }
    },

    afterModel: {
      canJumpTo: ["model", "end"],
      async hook({ messages }, { configurable }) {
        const last = messages.at(-1);
        if (!(last instanceof AIMessage) || (last.tool_calls ?? []).length > 0) return undefined;
        const answer = await guard.respond({ text: last.text, session: sessionOf(configurable) });
        if (answer.kind === "accepted") return undefined;
        return answer.kind === "retry"
          ? { messages: [new HumanMessage(answer.message)], jumpTo: "model" as const }
          : { messages: [new AIMessage(answer.message)], jumpTo: "end" as const };
      },
    },
  });
}

// The thread, so that equal calls in two conversations stay separate.
function sessionOf(configurable: unknown): string {
  const { thread_id = "" } = (configurable ?? {}) as { readonly thread_id?: unknown };
  return typeof thread_id === "string" ? thread_id : "";
}

// The resume value may belong to another question, if the call changed meanwhile.
function answerTo(
  asked: string,
  value: unknown,
  approver: string | undefined,
): PersonAnswer | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { approved, question, by = approver, reason } = value as Readonly<Record<string, unknown>>;
  if (typeof approved !== "boolean" || question !== asked) return undefined;
  return {
    approved,
    by: typeof by === "string" ? by : undefined,
    ...(typeof reason === "string" ? { reason } : {}),
  };
}
