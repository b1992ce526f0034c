import { join } from "node:path";
import {
  callFromFields,
  jsonOutput,
  preToolDecision,
  preToolOutput,
  readSessionEvent,
  stopEvent,
  stringField,
  unheededCommand,
  type Host,
  type HostOutput,
  type HostPlace,
} from "@bylaw/host";
import { isJsonObject, type JsonObject } from "@bylaw/kernel";

const TIMEOUT_S = 30;
const REPORTS = ["SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop"];
const REQUIREMENTS = "/etc/codex/requirements.toml";

/**
 * Codex, as measured with 0.169.0. The call runs after any failure of a hook, and after any answer that Codex does not know: a deny without
 * a reason, an unknown key, an allow, an ask. Only a deny as JSON with exit code 0 blocks. If Bylaw does not give it, the shell command
 * does.
 */
export const codex: Host = {
  name: "codex",
  title: "Codex",
  capabilities: {
    version: "0.169.0",
    // It runs a call whose answer has `continue: false`.
    ...{ ask: "runs", halts: false },
    ...{ allow: false, rewrites: ["Bash"], exit_code: false, session_events: REPORTS },
    failures: {
      ...{ exit_1: "blocks", killed: "blocks", missing: "blocks", timeout: "runs" },
      not_json: "runs",
    },
    project_off: "runs",
    managed: true,
    comments: false,
    stop_cap: null,
    timeout_ms: TIMEOUT_S * 1_000,
  },

  read(input, place) {
    const name = stringField(input, "hook_event_name");
    if (name === "Stop") return stopEvent(input, name);
    // Also sent for a command that failed, without saying so.
    if (name === "PostToolUse")
      return { kind: "tool_result", name, call: callFrom(input, place), ok: true };
    if (name !== undefined && name !== "PreToolUse")
      return readSessionEvent(input, name) ?? { kind: "other", name };
    return { kind: "tool_call", name: "PreToolUse", call: callFrom(input, place) };
  },

  answer(event, reply) {
    if (reply.kind === "none") return jsonOutput({});
    if (event.kind !== "tool_call") return jsonOutput({ decision: "block", reason: reply.reason });
    return reply.kind === "rewrite" ? preToolOutput(reply) : denied(reply.reason);
  },

  fault: (reason) => denied(reason),

  blocks: ({ stdout, exit }) => exit === 0 && preToolDecision(stdout) === "deny",

  shellCall: (command, cwd) => ({
    ...{ hook_event_name: "PreToolUse", session_id: "doctor", cwd },
    ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: "doctor" },
  }),

  files({ home, env }, project) {
    const own = env["CODEX_HOME"] ?? join(home, ".codex");
    return [
      { scope: "managed", file: REQUIREMENTS, target: true },
      { scope: "user", file: join(own, "hooks.json"), target: true },
      { scope: "user", file: join(own, "config.toml"), target: false },
      { scope: "project", file: join(project, ".codex/hooks.json"), target: true },
      { scope: "project", file: join(project, ".codex/config.toml"), target: false },
    ];
  },

  hooks(command) {
    const hook = { type: "command", timeout: TIMEOUT_S };
    const call = { ...hook, command: `${command()} || printf '%s' '${NO_ANSWER.stdout}'` };
    const report = { hooks: [{ ...hook, command: command() }] };
    const unheeded = { hooks: [{ ...hook, command: unheededCommand(command()) }] };
    return {
      ...{ PreToolUse: { hooks: [call] }, PostToolUse: report, Stop: report },
      ...Object.fromEntries(REPORTS.map((name) => [name, unheeded])),
    };
  },

  // Codex trusts managed hooks without asking, and a project cannot switch them off.
  ownFile(file, command) {
    if (file !== REQUIREMENTS) return undefined;
    const entries = Object.entries(codex.hooks(() => command)).map(([event, { hooks }]) =>
      (hooks as readonly JsonObject[]).map(
        (hook) =>
          `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(hook["command"])}\ntimeout = ${TIMEOUT_S}\n`,
      ),
    );
    const head = '[features]\nhooks = true\n\n[hooks]\nmanaged_dir = "/etc/codex"\n';
    return [head, ...entries.flat()].join("\n");
  },

  switchedOff({ text }) {
    const [found] = (typeof text === "string" && HOOKS_OFF.exec(plainToml(text))) || [];
    return found && `\`${found}\``;
  },

  note: "Codex silently skips a hook until you trust it: start `codex` and accept it there.",
};

// `codex_hooks` is the old name, and still works. The table around it is not looked at.
const HOOKS_OFF = /(?<![\w-])(?:codex_)?hooks["']?\s*=\s*false/;

/** A TOML text without its comment lines and without escapes in keys. In a text with long strings, such a line may be no comment. */
function plainToml(text: string): string {
  const code = /"""|'''/.test(text) ? text : text.replaceAll(/^[ \t]*#.*$/gm, "");
  const escape = /\\(?:U0000([\da-fA-F]{4})|u([\da-fA-F]{4})|x([\da-fA-F]{2}))/g;
  return code.replaceAll(escape, (_, ...hex: readonly unknown[]) =>
    String.fromCharCode(Number.parseInt(String(hex.slice(0, 3).find(Boolean)), 16)),
  );
}

const denied = (reason: string): HostOutput => preToolOutput({ kind: "deny", reason });

// The shell command prints this if the program ends without an answer.
const NO_ANSWER = denied("Bylaw did not answer.");

function callFrom(
  input: JsonObject,
  { home, cwd: workspace }: HostPlace,
): ReturnType<typeof callFromFields> {
  // A model can choose `cwd`, but not where the hook runs: in the folder of the session.
  const { tool_name: tool, tool_input: given, cwd } = input;
  // Codex sends the text of a patch as `command`.
  const isPatch = tool === "apply_patch" && isJsonObject(given) && "command" in given;
  const { command, ...rest } = isPatch ? given : {};
  const args = isPatch ? { ...rest, patch: command ?? null } : given;
  return callFromFields({
    ...{ host: "codex", tool, args, cwd, workspace, home },
    ...{ id: input["tool_use_id"], session: input["session_id"], agent: input["agent_id"] },
  });
}
