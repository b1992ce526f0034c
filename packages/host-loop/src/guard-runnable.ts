import { parseJson } from "@bylaw/config";
import { createToolGuard, refusalError, type ToolGuard } from "@bylaw/host";
import { BylawError, isJsonObject } from "@bylaw/kernel";
import { judge, type GuardOptions } from "./guard-functions.ts";

type Work = (this: unknown, args: unknown, context?: unknown, ...rest: unknown[]) => unknown;

/** The functions of a tool that an SDK's runner calls. */
interface Runnable {
  readonly name?: string;
  readonly run?: Work;
  readonly function?: {
    readonly name?: string;
    readonly function?: Work;
    readonly parse?: unknown;
  };
}

/**
 * Guards the tools of `client.beta.messages.toolRunner` in the Anthropic SDK, and of `client.chat.completions.runTools` in the OpenAI SDK.
 * Tools that run at the provider stay as they are. Throws BYLAW_OPTIONS_INVALID for a toolset, because the names of its tools are unknown
 * here.
 */
export function guardRunnable<Tools extends readonly object[]>(
  tools: Tools,
  { ask, ...options }: GuardOptions,
): { -readonly [At in keyof Tools]: Tools[At] } {
  const guard = createToolGuard({ ...options, host: "loop" });
  return tools.map((tool: Runnable) => {
    if (typeof tool.function?.function === "function")
      return { ...tool, function: guardOpenAi(tool.function, guard, ask) };
    const { run, name } = tool;
    if (run === undefined) return tool;
    if (name === undefined)
      throw new BylawError({
        code: "BYLAW_OPTIONS_INVALID",
        message: "A toolset cannot be guarded, because the names of its tools are unknown",
        fix: "Give the agent single tools.",
      });
    const guarded: Work = (args, context, ...rest) =>
      guardedRun(guard, ask, { tool: name, args, ...idOf(context) }, (own) =>
        run.call(tool, own, context, ...rest),
      );
    return { ...tool, run: guarded };
  }) as never;
}

// An error ends OpenAI's runner, so a refusal is a result.
function guardOpenAi(
  tool: NonNullable<Runnable["function"]>,
  guard: ToolGuard,
  ask: GuardOptions["ask"],
): object {
  const work = tool.function as Work;
  const name = tool.name ?? work.name;
  const isText = tool.parse === undefined;
  const guarded: Work = async (args, ...rest) => {
    try {
      const given = isText ? parseJson(String(args)) : args;
      return await guardedRun(guard, ask, { tool: name, args: given }, (own) =>
        work.call(tool, isText ? JSON.stringify(own) : own, ...rest),
      );
    } catch (error) {
      if (error instanceof BylawError) return error.message;
      throw error;
    }
  };
  return { ...tool, name, function: guarded };
}

async function guardedRun(
  guard: ToolGuard,
  ask: GuardOptions["ask"],
  given: { readonly tool: string; readonly args: unknown; readonly id?: string },
  work: (args: unknown) => unknown,
): Promise<unknown> {
  const call = { ...given, id: given.id ?? crypto.randomUUID() };
  const judged = await judge(guard, call, ask);
  if ("refused" in judged) throw refusalError({ kind: "deny", reason: judged.refused.content });
  return await guard.run(call, work, judged.answered);
}

function idOf(context: unknown): { readonly id?: string } {
  const { toolUse } = (context ?? {}) as { readonly toolUse?: unknown };
  return isJsonObject(toolUse) && typeof toolUse["id"] === "string" ? { id: toolUse["id"] } : {};
}
