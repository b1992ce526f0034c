import { BylawError, freezeJson, type Json } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import type { Tool } from "./tool.ts";

/** How a call is bounded. */
export interface CallToolOptions {
  /** An answer whose JSON is longer is refused, in characters. Default: 4 MiB. */
  readonly maxAnswer?: number;
}

const MAX_ANSWER = 4 * 1024 * 1024;

/** The tool of a name, or `undefined`. */
export const toolNamed = <Context>(
  tools: readonly Tool<Context>[],
  name: string,
): Tool<Context> | undefined => tools.find((tool) => tool.name === name);

/**
 * Reads the arguments strictly, runs the tool and answers with frozen plain data. Decides nothing: ask the run first. Throws
 * BYLAW_TOOL_ARGUMENTS_INVALID with every issue and before anything ran; BYLAW_TOOL_ANSWER_INVALID where the tool ran and answered
 * with no JSON or too much; what the tool throws; and the reason of an aborted signal.
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
      message: `\`${tool.name}\` cannot take these arguments: ${describeIssues(read.error, "the arguments")}`,
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
    fix: "The tool did run; look at what it did before calling it again",
    cause,
  });
