import { join } from "node:path";
import {
  blockingCommand,
  jsonOutput,
  misleadingVariable,
  unheededCommand,
  type Host,
  type HostCapabilities,
} from "@bylaw/host";
import { isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { claudeCode } from "./claude-code.ts";
import { droidHooksFault } from "./droid-hooks-fault.ts";
import { TIMEOUT_S } from "./installation.ts";

/** The differences from Claude Code. */
interface Variant extends Pick<Host, "name" | "title" | "switchedOff"> {
  /** Left out if it is that of Claude Code. */
  readonly answer?: Host["answer"];
  readonly capabilities: Pick<
    HostCapabilities,
    | "version"
    | "ask"
    | "halts"
    | "rewrites"
    | "comments"
    | "project_off"
    | "session_events"
    | "stop_cap"
  > & { readonly timeout: HostCapabilities["failures"]["timeout"] };
  /** The path of its settings, relative to the home folder or a project. */
  readonly folder: string;
  /** Other files, by their paths from the home folder or a project, that can switch hooks off. */
  readonly others: readonly string[];
  /** Whether these files hold only hooks, which replace those in the settings. */
  readonly only_hooks?: boolean;
  readonly shellTool: string;
  /** The exit code of a command that returned. Left out if the agent does not report it, or does not say for which call. */
  readonly exitCodeOf?: (response: JsonObject) => number | undefined;
}

// These agents run the call if a hook fails in any way other than exit code 2 with a text.
function variantOf({
  folder,
  others,
  shellTool,
  exitCodeOf,
  capabilities,
  ...variant
}: Variant): Host {
  const { timeout, ...measured } = capabilities;
  const { only_hooks = false, ...own } = variant;
  return {
    answer: claudeCode.answer,
    ...own,
    capabilities: {
      ...{ ...measured, allow: true, exit_code: exitCodeOf !== undefined },
      ...{ managed: false, timeout_ms: TIMEOUT_S * 1_000 },
      failures: {
        ...{ exit_1: "blocks", killed: "blocks", missing: "blocks" },
        ...{ timeout, not_json: "runs" },
      },
    },
    read(input, place) {
      const event = claudeCode.read(input, place);
      if (event.kind !== "tool_call" && event.kind !== "tool_result") return event;
      const call = { ...event.call, host: { name: own.name } };
      if (event.kind === "tool_call") return { ...event, call };
      const { kind, name, ok } = event;
      const answered = input["tool_response"];
      const exit_code =
        call.tool === shellTool && isJsonObject(answered) ? exitCodeOf?.(answered) : undefined;
      return { kind, name, call, ok, ...omitUndefined({ exit_code }) };
    },
    fault: claudeCode.fault,
    blocks: (output) =>
      output.exit === 0 || output.exit === 2 ? claudeCode.blocks(output) : false,
    shellCall: (command, cwd) => ({ ...claudeCode.shellCall(command, cwd), tool_name: shellTool }),
    files: ({ home }, project) =>
      [
        { scope: "user", root: home } as const,
        { scope: "project", root: project } as const,
      ].flatMap(({ scope, root }) => [
        { scope, file: join(root, folder, "settings.json"), target: true },
        ...others.map((file) => ({ scope, file: join(root, file), target: false, only_hooks })),
      ]),
    hooks(command) {
      const hook = { type: "command", timeout: TIMEOUT_S };
      const unheeded = { hooks: [{ ...hook, command: unheededCommand(command()) }] };
      return {
        PreToolUse: { matcher: "*", hooks: [{ ...hook, command: blockingCommand(command()) }] },
        PostToolUse: { matcher: "*", hooks: [{ ...hook, command: command() }] },
        ...(exitCodeOf && {
          PostToolUseFailure: { matcher: "*", hooks: [{ ...hook, command: command() }] },
        }),
        Stop: { hooks: [{ ...hook, command: command() }] },
        ...Object.fromEntries(measured.session_events.map((name) => [name, unheeded])),
      };
    },
  };
}

// Qwen Code prints its own lines before and after the output of a command. For a command that it stopped, the first line is another.
const QWEN_ENDED =
  /^Command: [^]*\nError: \(none\)\nExit Code: (\d+)\nSignal: \(none\)\nProcess Group PGID: [^\n]*$/;

/** Qwen Code, as measured with 0.24.4. */
export const qwenCode: Host = variantOf({
  ...{ name: "qwen-code", title: "Qwen Code", folder: ".qwen", shellTool: "run_shell_command" },
  capabilities: {
    ...{ version: "0.24.4", ask: "asks", comments: true, project_off: "runs", stop_cap: 8 },
    // It goes on after `continue: false`.
    ...{ halts: false, rewrites: [] },
    session_events: ["SessionStart", "UserPromptSubmit", "SubagentStart", "SubagentStop"],
    timeout: "runs",
  },
  exitCodeOf({ llmContent: text }) {
    const [, code] = (typeof text === "string" && QWEN_ENDED.exec(text)) || [];
    return code === undefined ? undefined : Number(code);
  },
  others: [".qwen/.env", ".env"],
  // Measured: both variables work from a `.env` file of the project and under `env` in its settings.
  switchedOff: (settings) =>
    settings["disableAllHooks"] === true
      ? "`disableAllHooks: true`"
      : misleadingVariable(settings, ["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"]),
});

/** Factory Droid, as measured with 0.225.2. It runs a call even if it is told to ask, and does not report failed commands. */
export const droid: Host = variantOf({
  ...{ name: "droid", title: "Droid", folder: ".factory", shellTool: "Execute" },
  capabilities: {
    ...{ version: "0.225.2", ask: "runs", rewrites: "all", comments: true, project_off: "runs" },
    ...{ session_events: ["SessionStart", "SessionEnd"], stop_cap: null, timeout: "runs" },
    halts: true,
  },
  // Droid shows its model no reason of a block after a call.
  answer: (event, reply) =>
    event.kind === "tool_result" && reply.kind === "deny"
      ? jsonOutput({
          hookSpecificOutput: { hookEventName: event.name, additionalContext: reply.reason },
        })
      : claudeCode.answer(event, reply),
  others: [".factory/hooks.json", ".factory/hooks/hooks.json"],
  only_hooks: true,
  switchedOff({ hooks = {} }) {
    if (isJsonObject(hooks) && hooks["hooksDisabled"] === true) return "`hooksDisabled: true`";
    const fault = droidHooksFault(hooks);
    return fault && `${fault} in a shape that Droid cannot read, so it skips all hooks of the file`;
  },
});
