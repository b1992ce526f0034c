import { BylawError, freezeJson, type Json } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import type { Tool } from "./tool.ts";

/** The limits of a call. */
export interface CallToolOptions {
  /** The longest answer as JSON, in characters. Default: 4 MiB. */
  readonly maxAnswer?: number;
}

const MAX_ANSWER = 4 * 1024 * 1024;

/** The tool with a name. Undefined if there is none. */
export const toolNamed = <Context>(
  tools: readonly Tool<Context>[],
  name: string,
): Tool<Context> | undefined => tools.find((tool) => tool.name === name);

/**
 * Checks the arguments strictly, runs the tool and returns its answer as frozen plain data. It decides nothing, so ask the run first.
 * Throws BYLAW_TOOL_ARGUMENTS_INVALID with every issue, before anything runs; BYLAW_TOOL_ANSWER_INVALID if the tool ran but its answer is
 * not JSON or too long; the errors of the tool; and the reason of an aborted signal.
 */
export async function callTool<Context>(
  tool: Tool<Context>,
  args: unknown,
  context: Context,
  { maxAnswer = MAX_ANSWER }: CallToolOptions = {},
): Promise<Json> {
  const read = tool.schema.safeParse(args);
  if (!read.success)
    throw new BylawError({
      code: "BYLAW_TOOL_ARGUMENTS_INVALID",
      message: `\`${tool.name}\` does not accept these arguments: ${describeIssues(read.error, "the arguments")}`,
      fix: "Call it with arguments that fit its schema.",
    });
  const answer = await tool.run(read.data as never, context);
  return bounded(tool.name, answer ?? null, maxAnswer);
}

function bounded(name: string, answer: unknown, maxAnswer: number): Json {
  let data: Json;
  try {
    data = freezeJson(answer);
  } catch (cause) {
    throw unfit(name, "is not JSON", cause);
  }
  const { length } = JSON.stringify(data);
  if (length > maxAnswer)
    throw unfit(name, `has ${length} characters; at most ${maxAnswer} are allowed`);
  return data;
}

const unfit = (name: string, what: string, cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_TOOL_ANSWER_INVALID",
    message: `The answer of \`${name}\` ${what}`,
    fix: "The tool did run. Check what it did before you call it again.",
    cause,
  });
