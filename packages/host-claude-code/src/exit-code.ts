import { isJsonObject, type JsonObject } from "@bylaw/kernel";

// Claude Code does not report exit code 0. It marks other exit codes, commands in the background, and commands that it stopped.
const NO_PLAIN_END = /^(?:returnCode|background|assistant|timedOut|memoryLimit)/;

/** The exit code of a command that returned. Undefined if the event does not tell it. */
export function exitCodeOf({
  tool_name: tool,
  tool_response: response,
}: JsonObject): number | undefined {
  if (tool !== "Bash" || !isJsonObject(response) || response["interrupted"] !== false)
    return undefined;
  return Object.keys(response).some((key) => NO_PLAIN_END.test(key)) ? undefined : 0;
}
