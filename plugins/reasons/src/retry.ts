import type { Decision, Response } from "@bylaw/kernel";
import { CARRIED_OVER } from "@bylaw/log";

/** The input of the next attempt. */
export type RetryInput =
  /** The error becomes the result of each of these calls, and the stream continues. */
  | {
      readonly kind: "tool_results";
      readonly calls: readonly {
        readonly id?: string;
        readonly tool: string;
        readonly error: string;
      }[];
    }
  /** A user message begins a new model call. */
  | { readonly kind: "message"; readonly text: string }
  /** There is no next attempt. */
  | { readonly kind: "none" };

/**
 * What a host sends to the model after a response that does not comply. Every call gets its error, because providers require a
 * result for each. The text of a response without a call is sent back in full.
 */
export function retryInput(
  { code, message, reason, recovery = "restart" }: Decision,
  {
    text = "",
    tool_calls = [],
    available_tools,
  }: Pick<Response, "text" | "tool_calls" | "available_tools">,
): RetryInput {
  if (recovery === "end") return { kind: "none" };
  const error = message ?? reason;
  if (tool_calls.length > 0) {
    // In a stream that continues, the other calls have their own results.
    const failed =
      recovery === "inline"
        ? tool_calls.filter(({ tool }) => available_tools?.includes(tool) !== true)
        : tool_calls;
    return {
      kind: "tool_results",
      calls: failed.map(({ id, tool }) =>
        id === undefined ? { tool, error } : { id, tool, error },
      ),
    };
  }
  if (!CARRIED_OVER.has(code) || text === "") return { kind: "message", text: error };
  // The agent's text must not end its quotation.
  const quoted = text.replaceAll("</incomplete_response", "<\\/incomplete_response");
  return {
    kind: "message",
    text: `Your last response was not complete. So far it reads:\n<incomplete_response>\n${quoted}\n</incomplete_response>\n${error}`,
  };
}
