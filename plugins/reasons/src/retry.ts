import type { Decision, Response } from "@bylaw/kernel";
import { CARRIED_OVER } from "@bylaw/log";

/** What the next attempt begins with. */
export type RetryInput =
  /** The error is the result of each of these calls, and the stream goes on. */
  | {
      readonly kind: "tool_results";
      readonly calls: readonly {
        readonly id?: string;
        readonly tool: string;
        readonly error: string;
      }[];
    }
  /** A message of the user begins a new model call. */
  | { readonly kind: "message"; readonly text: string }
  /** There is no next attempt. */
  | { readonly kind: "none" };

/**
 * What a host hands to the model after a response that does not comply. Every call gets its error, because providers want a result
 * for each; the text of a response that had no call is handed back whole.
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
    // In a stream that goes on the other calls have results of their own.
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
  // What the agent wrote must not end the quotation of it.
  const quoted = text.replaceAll("</incomplete_response", "<\\/incomplete_response");
  return {
    kind: "message",
    text: `Your last response was not complete. So far it reads:\n<incomplete_response>\n${quoted}\n</incomplete_response>\n${error}`,
  };
}
