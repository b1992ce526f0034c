import {
  checkOffered,
  createToolGuard,
  refusalError,
  type PersonAnswer,
  type ResponseAnswer,
  type ToolGuard,
  type ToolGuardOptions,
} from "@bylaw/host";
import {
  asSchema,
  type ModelMessage,
  type Tool,
  type ToolExecutionOptions,
  type ToolSet,
} from "ai";
import { answersIn, isInHistory } from "./history.ts";

/** The options of {@link guardTools}. */
export interface GuardOptions extends Omit<ToolGuardOptions, "host"> {
  /** The name of the person who answers in this conversation. Default: `user`. */
  readonly approver?: string;
}

/** The result of `generateText`, `streamText` or an agent, to be judged. */
export interface FinishedResponse {
  readonly text: string | PromiseLike<string>;
  readonly toolCalls: Calls | PromiseLike<Calls>;
}
type Calls = readonly {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}[];

/** A call that the SDK asks about. */
interface AskedCall<TOOLS> {
  readonly toolCall: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  };
  readonly messages: ModelMessage[];
  readonly toolsContext: { readonly [Name in keyof TOOLS]?: unknown } | undefined;
}

type ApprovalStatus =
  | undefined
  | { readonly type: "denied" | "user-approval"; readonly reason?: string };

/** Options for `generateText`, `streamText` and `ToolLoopAgent`, and a function that judges finished responses. */
export interface GuardedTools<TOOLS extends ToolSet> {
  /** The tools. They run only allowed calls, whatever calls them. */
  readonly tools: TOOLS;
  /** Denies calls, and asks the user, before tools run. */
  readonly toolApproval: (asked: AskedCall<TOOLS>) => Promise<ApprovalStatus>;
  /** Offers the model only the tools that the phase of the task allows. */
  readonly prepareStep: (step: {
    readonly stepNumber: number;
    readonly initialMessages: ModelMessage[];
  }) => Promise<{ activeTools: (keyof TOOLS & string)[] }>;
  /** Judges a finished response. */
  readonly respond: (response: FinishedResponse) => Promise<ResponseAnswer>;
}

/** Guards the tools of an agent with a run. */
export function guardTools<TOOLS extends ToolSet>(
  tools: TOOLS,
  { approver, ...options }: GuardOptions,
): GuardedTools<TOOLS> {
  const guard = createToolGuard({ ...options, host: "ai-sdk" });
  const names = Object.keys(tools);
  const by = approver;
  return {
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool as Tool, guard, by)]),
    ) as TOOLS,

    async toolApproval({ toolCall, messages, toolsContext }) {
      const { toolName: name, input: args, toolCallId: id } = toolCall;
      // A call with an answer is judged when it runs, by the recorded question.
      if (isInHistory(messages, id)) return undefined;
      const answer = await guard.judge({ tool: name, args, id });
      if (answer.kind === "deny") return { type: "denied", reason: answer.reason };
      if (answer.kind === "ask") return { type: "user-approval", reason: answer.reason };
      const tool = tools[name] as Tool | undefined;
      const given = { toolCallId: id, messages, context: toolsContext?.[name] as never };
      const { changed } = answer;
      if (!(await asksItself(tool, changed === undefined ? args : answer.args, given)))
        return undefined;
      // The user would see other arguments than those that run.
      return changed === undefined
        ? { type: "user-approval" }
        : { type: "denied", reason: changed };
    },

    async prepareStep({ stepNumber, initialMessages }) {
      if (stepNumber === 0)
        for (const { call, answer } of answersIn(initialMessages))
          if (!answer.approved) await guard.answer(call, { ...answer, by });
      return { activeTools: (await guard.allowedTools(names)) as (keyof TOOLS & string)[] };
    },

    async respond({ text, toolCalls }) {
      const calls = (await toolCalls).map(({ toolCallId: id, toolName: tool, input: args }) => ({
        id,
        tool,
        args: args as never,
      }));
      return await guard.respond({ text: await text, tool_calls: calls, available_tools: names });
    },
  };
}

type Offered = Parameters<typeof checkOffered>[0];
type Options = Pick<ToolExecutionOptions<never>, "toolCallId" | "messages" | "context">;
type Execute = (args: unknown, options: Options) => unknown;

function guardTool(name: string, tool: Tool, guard: ToolGuard, by: string | undefined): Tool {
  const execute = tool.execute as Execute | undefined;
  if (execute === undefined) return tool;
  const callOf = ({ toolCallId: id }: Options, args: unknown) => ({ tool: name, args, id });
  // The messages may be forged, so an approval counts only if exactly this call was asked about.
  const answerTo = ({ toolCallId: id, messages }: Options): PersonAnswer | undefined => {
    const answered = answersIn(messages).find(({ call }) => call.id === id);
    return answered && { ...answered.answer, by };
  };
  const single: Execute = (args, options) =>
    guard.run(
      callOf(options, args),
      async (judged, changed) => {
        if (changed !== undefined) await checkChanged(tool, judged, changed, options);
        return await lastOf(execute.call(tool, judged, options));
      },
      answerTo(options),
    );
  const streamed = async function* (args: unknown, options: Options): AsyncGenerator {
    const call = callOf(options, args);
    const answer = await guard.start(call, answerTo(options));
    if (answer.kind !== "run") throw refusalError(answer);
    let ok = false;
    try {
      if (answer.changed !== undefined)
        await checkChanged(tool, answer.args, answer.changed, options);
      yield* execute.call(tool, answer.args, options) as AsyncGenerator;
      ok = true;
    } finally {
      await guard.finish(call, { ok });
    }
  };
  return { ...tool, execute: isGenerator(execute) ? streamed : single } as Tool;
}

async function asksItself(
  { needsApproval }: Pick<Tool, "needsApproval"> = {},
  args: unknown,
  options: Options,
): Promise<boolean> {
  const asks =
    typeof needsApproval === "function" ? needsApproval(args as never, options) : needsApproval;
  return (await asks) === true;
}

// The SDK has checked only the arguments of the model.
async function checkChanged(
  tool: Tool,
  args: Offered,
  changed: string,
  options: Options,
): Promise<void> {
  if (await asksItself(tool, args, options)) throw refusalError({ kind: "deny", reason: changed });
  await checkOffered(args, async (given) => {
    const read = await asSchema(tool.inputSchema).validate?.(given);
    if (read?.success === false) throw read.error;
    return read === undefined ? given : read.value;
  });
}

// The SDK accepts a stream of results only if it is returned without a promise.
const isGenerator = (work: unknown): boolean =>
  Object.prototype.toString.call(work) === "[object AsyncGeneratorFunction]";

async function lastOf(result: unknown): Promise<unknown> {
  const given = await result;
  if (typeof given !== "object" || given === null || !(Symbol.asyncIterator in given)) return given;
  let last: unknown;
  for await (const one of given as AsyncIterable<unknown>) last = one;
  return last;
}
