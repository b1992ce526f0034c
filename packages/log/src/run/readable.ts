import { isJsonObject, omitUndefined, type Response } from "@bylaw/kernel";

type ResponseCall = NonNullable<Response["tool_calls"]>[number];

/** The parts of an unreadable response that can be recorded: its agent, its attempt, and its text. */
export function readableIn(given: unknown): Partial<Response> {
  try {
    if (!isJsonObject(given)) return {};
    const { agent, task, round, max_attempts, text, tool_calls } = given as Readonly<
      Record<string, unknown>
    >;
    return omitUndefined({
      agent: name(agent),
      task: name(task),
      round: whole(round),
      max_attempts: whole(max_attempts),
      text: typeof text === "string" ? text.toWellFormed() : undefined,
      tool_calls: Array.isArray(tool_calls) ? tool_calls.slice(0, CALLS).flatMap(named) : undefined,
    });
  } catch {
    return {};
  }
}

const CALLS = 200;

const named = (call: unknown): readonly ResponseCall[] => {
  const tool: unknown = isJsonObject(call) ? call["tool"] : undefined;
  return typeof tool === "string" ? [{ tool: tool.toWellFormed() }] : [];
};
const name = (value: unknown): string | undefined =>
  typeof value === "string" && value.isWellFormed() ? value : undefined;
const whole = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
