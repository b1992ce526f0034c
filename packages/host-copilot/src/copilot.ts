import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  hookOutputJson,
  callFromFields,
  jsonOutput,
  readSessionEvent,
  stringField,
  unheededCommand,
  type Host,
  type SettingsFile,
} from "@bylaw/host";
import { isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";

const TIMEOUT_S = 30;

/** The files of a project whose `disableAllHooks` counts. Copilot also reads those of Claude Code. */
const SWITCHES = [".github/copilot", ".claude"].flatMap((folder) =>
  ["settings.json", "settings.local.json"].map((name) => `${folder}/${name}`),
);

/** Copilot's events of a session, with the names of Claude Code. */
const REPORTS: Readonly<Record<string, string>> = {
  sessionStart: "SessionStart",
  sessionEnd: "SessionEnd",
  userPromptSubmitted: "UserPromptSubmit",
  subagentStart: "SubagentStart",
  subagentStop: "SubagentStop",
};

/** The Copilot command line, as measured with 1.0.102. Its input does not name the event, so the command does. */
export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  capabilities: {
    version: "1.0.102",
    ...{ ask: "asks", halts: false },
    ...{ allow: true, rewrites: "all", exit_code: true, session_events: Object.keys(REPORTS) },
    failures: {
      ...{ exit_1: "blocks", killed: "blocks", missing: "blocks", timeout: "runs" },
      not_json: "runs",
    },
    project_off: "runs",
    managed: false,
    comments: false,
    stop_cap: 8,
    timeout_ms: TIMEOUT_S * 1_000,
  },

  read(input, { home }, named = "preToolUse") {
    const agent = stringField(input, "agentId");
    // A sub-agent has a session of its own.
    const session = stringField(input, agent === undefined ? "sessionId" : "parentAgentId");
    if (named === "agentStop")
      return {
        ...{ kind: "stop", name: named, session: session ?? "" },
        again: input["stop_hook_active"] === true,
        ...omitUndefined({ agent, text: stringField(input, "lastAssistantMessage") }),
      };
    if (Object.hasOwn(REPORTS, named)) {
      const own = { session_id: session, agent_id: agent, agent_type: input["agentType"] };
      const payload = { ...input, ...omitUndefined(own) };
      return readSessionEvent(payload, named, REPORTS[named]) ?? { kind: "other", name: named };
    }
    const { toolName: tool, toolArgs: args, cwd } = input;
    const call = (): ReturnType<typeof callFromFields> =>
      callFromFields({ host: "copilot", tool, args, cwd, home, session, agent });
    switch (named) {
      case "preToolUse":
        return { kind: "tool_call", name: named, call: call() };
      case "postToolUse":
        return {
          ...{ kind: "tool_result", name: named, call: call(), ok: true },
          ...omitUndefined({ exit_code: exitCodeOf(input) }),
        };
      case "postToolUseFailure":
        return { kind: "tool_result", name: named, call: call(), ok: false };
      default:
        return { kind: "other", name: named };
    }
  },

  answer(event, reply) {
    if (reply.kind === "none") return jsonOutput({});
    if (event.kind !== "tool_call") return jsonOutput({ decision: "block", reason: reply.reason });
    const { kind, reason } = reply;
    return kind === "rewrite"
      ? jsonOutput({ permissionDecision: "allow", modifiedArgs: reply.args })
      : jsonOutput({ permissionDecision: kind, permissionDecisionReason: reason });
  },

  // Any exit code but 0 blocks.
  fault: (reason) => ({ stdout: "", stderr: `${reason}\n`, exit: 2 }),

  blocks({ stdout, exit }) {
    if (exit !== 0) return true;
    const { permissionDecision } = hookOutputJson(stdout);
    return permissionDecision === "deny" || permissionDecision === "ask";
  },

  shellCall: (command, cwd) => ({
    ...{ sessionId: "doctor", timestamp: 0, cwd, toolName: "bash", toolArgs: { command } },
  }),

  files: ({ home }, project) => [
    { scope: "user", file: join(home, ".copilot/hooks/bylaw.json"), target: true },
    { scope: "project", file: join(project, ".github/hooks/bylaw.json"), target: true },
    ...hookFiles(join(project, ".github/hooks")),
    ...SWITCHES.map(
      (file) => ({ scope: "project", file: join(project, file), target: false }) as const,
    ),
  ],

  top: { version: 1 },

  hooks(command) {
    const hook = (bash: string): JsonObject => ({
      ...{ type: "command", bash, timeoutSec: TIMEOUT_S },
    });
    const events = ["preToolUse", "postToolUse", "postToolUseFailure", "agentStop"];
    return Object.fromEntries([
      ...events.map((event) => [event, hook(command(event))]),
      ...Object.keys(REPORTS).map((event) => [event, hook(unheededCommand(command(event)))]),
    ]);
  },

  switchedOff: ({ disableAllHooks }) =>
    disableAllHooks === true ? "`disableAllHooks: true`" : undefined,
};

// Copilot's own line is the last one, whatever the command printed before.
function exitCodeOf({ toolName: tool, toolResult: result }: JsonObject): number | undefined {
  const text = tool === "bash" && isJsonObject(result) ? result["textResultForLlm"] : undefined;
  const [, code] =
    (typeof text === "string" && /\n<shellId: \d+ completed with exit code (\d+)>$/.exec(text)) ||
    [];
  return code === undefined ? undefined : Number(code);
}

// Each of these files can switch off the hooks of all files.
function hookFiles(folder: string): readonly SettingsFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && name !== "bylaw.json")
    .map((name) => ({ scope: "project", file: join(folder, name), target: false }));
}
