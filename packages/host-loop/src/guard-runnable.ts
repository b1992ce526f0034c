import { parseJson } from "@bylaw/config";
import { checkOffered, createToolGuard, refusalError, type ToolGuard } from "@bylaw/host";
import { BylawError, isJsonObject, type JsonObject } from "@bylaw/kernel";
import { judge, type GuardOptions } from "./guard-functions.ts";

type Work = (this: unknown, args: unknown, context?: unknown, ...rest: unknown[]) => unknown;
type Parse = (args: unknown) => unknown;

/** The functions of a tool that an SDK's runner calls. */
interface Runnable {
  readonly name?: string;
  readonly run?: Work;
  readonly parse?: Parse;
  readonly function?: OpenAiFunction;
  /** `zodFunction` of the OpenAI SDK adds these two as properties that a copy lacks. */
  readonly $callback?: Work | undefined;
  readonly $parseRaw?: Parse;
}

interface OpenAiFunction {
  readonly name?: string;
  readonly function?: Work;
  readonly parse?: Parse;
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
    const own = openAiFunction(tool);
    if (own !== undefined) return { ...tool, function: guardOpenAi(own, guard, ask) };
    const { run, name, parse = asGiven } = tool;
    if (run === undefined) return tool;
    if (name === undefined)
      throw new BylawError({
        code: "BYLAW_OPTIONS_INVALID",
        message: "A toolset cannot be guarded, because the names of its tools are unknown",
        fix: "Give the agent single tools.",
      });
    const guarded: Work = (args, context, ...rest) =>
      guardedRun(guard, ask, { tool: name, args, ...idOf(context) }, async (own, changed) => {
        if (changed === undefined) return run.call(tool, own, context, ...rest);
        await checkOffered(own, parse);
        return await run.call(tool, own, changedContext(context, own), ...rest);
      });
    return { ...tool, run: guarded };
  }) as never;
}

function openAiFunction({
  function: own,
  $callback,
  $parseRaw,
}: Runnable): OpenAiFunction | undefined {
  if ($callback !== undefined)
    return { ...own, function: $callback, ...($parseRaw && { parse: $parseRaw }) };
  return typeof own?.function === "function" ? own : undefined;
}

// An error ends OpenAI's runner, so a refusal is a result.
function guardOpenAi(tool: OpenAiFunction, guard: ToolGuard, ask: GuardOptions["ask"]): object {
  const work = tool.function as Work;
  const name = tool.name ?? work.name;
  const { parse } = tool;
  const isText = parse === undefined;
  const guarded: Work = async (args, ...rest) => {
    try {
      const given = isText ? parseJson(String(args)) : args;
      return await guardedRun(guard, ask, { tool: name, args: given }, async (own, changed) => {
        if (changed !== undefined && parse !== undefined)
          await checkOffered(own, (args) => parse(JSON.stringify(args)));
        return await work.call(tool, isText ? JSON.stringify(own) : own, ...rest);
      });
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
  work: (args: JsonObject, changed?: string) => unknown,
): Promise<unknown> {
  const call = { ...given, id: given.id ?? crypto.randomUUID() };
  const judged = await judge(guard, call, ask);
  if ("refused" in judged) throw refusalError({ kind: "deny", reason: judged.refused.content });
  return await guard.run(call, work, judged.answered);
}

const asGiven: Parse = (args) => args;

// A tool may read its arguments from the context too.
function changedContext(context: unknown, input: JsonObject): unknown {
  if (typeof context !== "object" || context === null) return context;
  const changed = Object.entries(context).map(([key, value]) => [
    key,
    key.startsWith("toolUse") && isJsonObject(value) ? { ...value, input } : (value as unknown),
  ]);
  return Object.fromEntries(changed) as unknown;
}

function idOf(context: unknown): { readonly id?: string } {
  const { toolUse } = (context ?? {}) as { readonly toolUse?: unknown };
  return isJsonObject(toolUse) && typeof toolUse["id"] === "string" ? { id: toolUse["id"] } : {};
}
