import { join } from "node:path";
import {
  fileOfSystem,
  misleadingVariable,
  unheededCommand,
  type Host,
  type HostPlace,
} from "@bylaw/host";

/** How long a hook may take, in seconds. */
export const TIMEOUT_S = 30;

/** The events of a session that are recorded. */
export const REPORTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "SubagentStart",
  "SubagentStop",
];

// The text of a skill can have lines for the shell, which no hook sees (measured).
const SKILLS = { disableSkillShellExecution: true };

// Measured: these win over the files of a project.
const STARTS_WITH = { disableAllHooks: false, ...SKILLS };

/** Where the hooks of Claude Code are installed, and what switches them off. */
export const installation: Pick<
  Host,
  "files" | "holds" | "hooks" | "settings" | "unjudged" | "start" | "switchedOff"
> = {
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
    const report = { type: "command", command: command(), timeout: TIMEOUT_S };
    const hook = { ...report, onFailure: "block", statusMessage: "Asking Bylaw" };
    const after = { matcher: "*", hooks: [report] };
    const unheeded = { hooks: [{ ...report, command: unheededCommand(command()) }] };
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

const managedFile = (env: HostPlace["env"]): string =>
  fileOfSystem({
    darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
    win32: join(env["ProgramFiles"] ?? "C:\\Program Files", "ClaudeCode/managed-settings.json"),
    linux: "/etc/claude-code/managed-settings.json",
  });
