import { join } from "node:path";
import {
  callFromFields,
  fileOfSystem,
  jsonOutput,
  misleadingVariable,
  preToolDecision,
  preToolOutput,
  readSessionEvent,
  stopEvent,
  stringField,
  unheededCommand,
  type Host,
  type HostPlace,
} from "@bylaw/host";
import { isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { exitOf } from "./exit-code.ts";

const TIMEOUT_S = 30;

const REPORTS = ["SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop"];

// The text of a skill can have lines for the shell, which no hook sees (measured).
const SKILLS = { disableSkillShellExecution: true };

// Measured: these win over the files of a project.
const STARTS_WITH = { disableAllHooks: false, ...SKILLS };

/** Claude Code, as measured with 2.1.330. Exit code 2 blocks the call. Any other failure blocks because of `onFailure`. */
export const claudeCode: Host = {
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
          ...omitUndefined({ exit_code: exitOf(input) }),
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

  files({ home, env }, project) {
    const own = env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
    return [
      { scope: "managed", file: managedFile(env), target: true },
      { scope: "user", file: join(own, "settings.json"), target: true },
      { scope: "project", file: join(project, ".claude/settings.json"), target: false },
      // Not the shared settings file, because the command contains paths of this machine.
      { scope: "project", file: join(project, ".claude/settings.local.json"), target: true },
    ];
  },

  holds: true,

  hooks(command, wait_s = 0) {
    const told = { type: "command", command: command(), timeout: TIMEOUT_S };
    const hook = { ...told, onFailure: "block", statusMessage: "Asking Bylaw" };
    const after = { matcher: "*", hooks: [told] };
    const unheeded = { hooks: [{ ...told, command: unheededCommand(command()) }] };
    return {
      PreToolUse: { matcher: "*", hooks: [{ ...hook, timeout: TIMEOUT_S + wait_s }] },
      ...{ PostToolUse: after, PostToolUseFailure: after },
      ConfigChange: { hooks: [hook] },
      Stop: { hooks: [hook] },
      ...Object.fromEntries(REPORTS.map((name) => [name, unheeded])),
    };
  },

  settings: SKILLS,

  unjudged: {
    settings: [
      ...["apiKeyHelper", "proxyAuthHelper", "otelHeadersHelper", "awsAuthRefresh"],
      ...["awsCredentialExport", "gcpAuthRefresh", "statusLine", "subagentStatusLine"],
      ...["fileSuggestion", "processWrapper", "enabledPlugins"],
    ],
    files: [".mcp.json"],
  },

  start: {
    program: "claude",
    args: (entries) => {
      const hooks = Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, [one]]));
      return ["--settings", JSON.stringify({ hooks, ...STARTS_WITH })];
    },
    settings: STARTS_WITH,
    refused: ["--settings", "--bare", "--safe-mode"],
  },

  switchedOff(settings) {
    if (settings["disableAllHooks"] === true) return "`disableAllHooks: true`";
    return settings["disableSkillShellExecution"] === false
      ? "`disableSkillShellExecution: false`"
      : misleadingVariable(settings);
  },
};

const callFrom = (input: JsonObject, { env, home }: HostPlace): ReturnType<typeof callFromFields> =>
  callFromFields({
    ...{ host: "claude-code", tool: input["tool_name"], args: input["tool_input"] },
    ...{ id: input["tool_use_id"], session: input["session_id"], agent: input["agent_id"] },
    ...{ cwd: input["cwd"], workspace: env["CLAUDE_PROJECT_DIR"], home },
    server: isJsonObject(input["mcp_server"]) ? input["mcp_server"]["name"] : undefined,
  });

const managedFile = (env: HostPlace["env"]): string =>
  fileOfSystem({
    darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
    win32: join(env["ProgramFiles"] ?? "C:\\Program Files", "ClaudeCode/managed-settings.json"),
    linux: "/etc/claude-code/managed-settings.json",
  });
