import { join } from "node:path";
import {
  hookOutputJson,
  callFromFields,
  fileOfSystem,
  haltFields,
  blockingCommand,
  jsonOutput,
  misleadingVariable,
  readSessionEvent,
  stopEvent,
  stringField,
  unheededCommand,
  type Host,
} from "@bylaw/host";
import { isJsonObject } from "@bylaw/kernel";

const TIMEOUT_MS = 30_000;
const REPORTS = ["SessionStart", "SessionEnd", "BeforeAgent"];

/** The Gemini command line, as measured with 0.61.0. A question hangs without a terminal, so Bylaw never asks one. */
export const geminiCli: Host = {
  name: "gemini-cli",
  title: "Gemini CLI",
  capabilities: {
    version: "0.61.0",
    ...{ ask: "waits", halts: true },
    ...{ allow: true, rewrites: "all", exit_code: false, session_events: REPORTS },
    failures: {
      ...{ exit_1: "blocks", killed: "blocks", missing: "blocks", timeout: "waits" },
      not_json: "runs",
    },
    project_off: "runs",
    managed: true,
    comments: true,
    stop_cap: null,
    timeout_ms: TIMEOUT_MS,
  },

  read(input, { home, env }) {
    const name = stringField(input, "hook_event_name");
    if (name === "AfterAgent") return stopEvent(input, name, "prompt_response");
    const isReturn = name === "AfterTool";
    if (name !== undefined && name !== "BeforeTool" && !isReturn) {
      const named = name === "BeforeAgent" ? "UserPromptSubmit" : name;
      return readSessionEvent(input, name, named) ?? { kind: "other", name };
    }
    const { tool_name: tool, tool_input: args, cwd, session_id: session, mcp_context: mcp } = input;
    const server = isJsonObject(mcp) ? mcp["server_name"] : undefined;
    const workspace = env["GEMINI_PROJECT_DIR"];
    const call = callFromFields({
      host: "gemini-cli",
      tool,
      args,
      cwd,
      home,
      session,
      server,
      workspace,
    });
    // Gemini CLI reports every exit code but 0.
    if (isReturn) return { kind: "tool_result", name, call, ok: true };
    return { kind: "tool_call", name: "BeforeTool", call };
  },

  answer(_event, reply) {
    if (reply.kind === "none") return jsonOutput({});
    const { kind, reason } = reply;
    const decision = kind === "allow" || kind === "rewrite" ? "allow" : "deny";
    const changed = kind === "rewrite" ? { hookSpecificOutput: { tool_input: reply.args } } : {};
    return jsonOutput({ decision, reason, ...changed, ...haltFields(reply) });
  },

  fault: (reason) => ({ stdout: "", stderr: `${reason}\n`, exit: 2 }),

  blocks({ stdout, stderr, exit }) {
    if (exit === 0) return hookOutputJson(stdout)["decision"] === "deny";
    return exit === 127 || (exit === 2 && stderr.trim() !== "");
  },

  shellCall: (command, cwd) => ({
    ...{ hook_event_name: "BeforeTool", session_id: "doctor", cwd },
    ...{ tool_name: "run_shell_command", tool_input: { command } },
  }),

  files: ({ home }, project) => [
    { scope: "managed", file: managedFile(), target: true },
    { scope: "user", file: join(home, ".gemini/settings.json"), target: true },
    { scope: "project", file: join(project, ".gemini/settings.json"), target: true },
    ...[".gemini/.env", ".env"].map(
      (file) => ({ scope: "project", file: join(project, file), target: false }) as const,
    ),
  ],

  hooks(command) {
    const hook = { type: "command", name: "bylaw", timeout: TIMEOUT_MS };
    const unheeded = { hooks: [{ ...hook, command: unheededCommand(command()) }] };
    return {
      BeforeTool: { matcher: ".*", hooks: [{ ...hook, command: blockingCommand(command()) }] },
      AfterTool: { matcher: ".*", hooks: [{ ...hook, command: command() }] },
      AfterAgent: { hooks: [{ ...hook, command: command() }] },
      ...Object.fromEntries(REPORTS.map((name) => [name, unheeded])),
    };
  },

  settings: { hooksConfig: { enabled: true } },

  switchedOff(settings, scope) {
    const { hooksConfig: config } = settings;
    const { enabled, disabled } = isJsonObject(config) ? config : {};
    if (enabled === false) return "`hooksConfig.enabled: false`";
    // A project can set anything that the administrator does not.
    if (enabled !== true && scope === "managed")
      return "no `hooksConfig.enabled: true`. Add it, so that no project can set it to `false`";
    return Array.isArray(disabled) && disabled.length > 0
      ? "`hooksConfig.disabled`"
      : misleadingVariable(settings);
  },
};

const managedFile = (): string =>
  fileOfSystem({
    darwin: "/Library/Application Support/GeminiCli/settings.json",
    win32: "C:\\ProgramData\\gemini-cli\\settings.json",
    linux: "/etc/gemini-cli/settings.json",
  });
