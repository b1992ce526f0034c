import {
  callFromFields,
  jsonOutput,
  preToolDecision,
  preToolOutput,
  readSessionEvent,
  stopEvent,
  stringField,
  type Host,
  type HostPlace,
} from "@bylaw/host";
import { isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { exitCodeOf } from "./exit-code.ts";
import { installation, REPORTS, TIMEOUT_S } from "./installation.ts";

/** Claude Code, as measured with 2.1.330. Exit code 2 blocks the call. Any other failure blocks because of `onFailure`. */
export const claudeCode: Host = {
  ...installation,
  name: "claude-code",
  title: "Claude Code",
  capabilities: {
    version: "2.1.330",
    ...{ ask: "asks", halts: true },
    ...{ allow: true, rewrites: "all", exit_code: true, session_events: REPORTS },
    // Output that is not JSON counts as no answer, whatever `onFailure` says.
    failures: {
      ...{ exit_1: "blocks", killed: "blocks", missing: "blocks", timeout: "blocks" },
      not_json: "runs",
    },
    project_off: "runs",
    managed: true,
    comments: false,
    stop_cap: 8,
    timeout_ms: TIMEOUT_S * 1_000,
  },

  read(input, place) {
    const name = stringField(input, "hook_event_name");
    switch (name) {
      case "ConfigChange":
        return {
          ...{ kind: "settings_change", name },
          ...omitUndefined({ file: stringField(input, "file_path") }),
        };
      case "Stop":
        return stopEvent(input, name);
      case "PostToolUse":
        return {
          ...{ kind: "tool_result", name, call: callFrom(input, place), ok: true },
          ...omitUndefined({ exit_code: exitCodeOf(input) }),
        };
      case "PostToolUseFailure":
        return { kind: "tool_result", name, call: callFrom(input, place), ok: false };
      case "PreToolUse":
      // An event without a name is treated as a tool call, the strictest case.
      case undefined:
        return { kind: "tool_call", name: "PreToolUse", call: callFrom(input, place) };
      default:
        return readSessionEvent(input, name) ?? { kind: "other", name };
    }
  },

  answer(event, reply) {
    if (reply.kind === "none") return jsonOutput({});
    return event.kind === "tool_call"
      ? preToolOutput(reply)
      : jsonOutput({ decision: "block", reason: reply.reason });
  },

  fault: (reason) => ({ stdout: "", stderr: `${reason}\n`, exit: 2 }),

  blocks({ stdout, stderr, exit }) {
    if (exit !== 0) return exit !== 2 || stderr.trim() !== "";
    return ["deny", "ask"].includes(String(preToolDecision(stdout)));
  },

  shellCall: (command, cwd) => ({
    ...{ hook_event_name: "PreToolUse", session_id: "doctor", cwd },
    ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: "doctor" },
  }),
};

const callFrom = (input: JsonObject, { env, home }: HostPlace): ReturnType<typeof callFromFields> =>
  callFromFields({
    ...{ host: "claude-code", tool: input["tool_name"], args: input["tool_input"] },
    ...{ id: input["tool_use_id"], session: input["session_id"], agent: input["agent_id"] },
    ...{ cwd: input["cwd"], workspace: env["CLAUDE_PROJECT_DIR"], home },
    server: isJsonObject(input["mcp_server"]) ? input["mcp_server"]["name"] : undefined,
  });
