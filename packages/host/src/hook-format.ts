import { isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { hookOutputJson, stringField } from "./call.ts";
import type { ToolAnswer } from "./guard-contract.ts";
import type { HostEvent, HostOutput } from "./host.ts";
import type { Reply } from "./lower.ts";

/** The output of a hook that ends with exit code 0. */
export const jsonOutput = (answer: JsonObject): HostOutput => ({
  ...{ stdout: JSON.stringify(answer), stderr: "", exit: 0 },
});

/** What halts the agent along with a deny, in the format of Claude Code. */
export const haltFields = (answer: Reply | ToolAnswer): HaltFields =>
  answer.kind === "deny" && answer.halt === true
    ? { continue: false, stopReason: answer.reason }
    : {};

interface HaltFields {
  readonly continue?: false;
  readonly stopReason?: string;
}

/** The answer to a tool call in the format of Claude Code, which other hosts share. The agent is told if its call was changed. */
export function preToolOutput(reply: Exclude<Reply, { readonly kind: "none" }>): HostOutput {
  const answer: JsonObject =
    reply.kind === "rewrite"
      ? {
          permissionDecision: "allow",
          updatedInput: reply.args,
          additionalContext: `Bylaw changed this call. ${reply.reason}`,
        }
      : { permissionDecision: reply.kind, permissionDecisionReason: reply.reason };
  const hookSpecificOutput = { hookEventName: "PreToolUse", ...answer };
  return jsonOutput({ hookSpecificOutput, ...haltFields(reply) });
}

/** The decision in such an answer. */
export function preToolDecision(stdout: string): unknown {
  const { hookSpecificOutput: answer } = hookOutputJson(stdout);
  return isJsonObject(answer) ? answer["permissionDecision"] : undefined;
}

/** The file of an administrator on this system. */
export const fileOfSystem = (
  files: Readonly<Record<"darwin" | "win32" | "linux", string>>,
): string =>
  process.platform === "darwin" || process.platform === "win32"
    ? files[process.platform]
    : files.linux;

/** Reads the event at the end of a turn, with the keys of Claude Code. `text`: the key of the last message. */
export const stopEvent = (
  input: JsonObject,
  name: string,
  text = "last_assistant_message",
): HostEvent => ({
  ...{ kind: "stop", name, session: stringField(input, "session_id") ?? "" },
  again: input["stop_hook_active"] === true,
  ...omitUndefined({ text: stringField(input, text) }),
});
