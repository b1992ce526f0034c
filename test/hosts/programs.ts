import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "@bylaw/host";
import { claudeCode, droid, qwenCode } from "@bylaw/host-claude-code";
import { codex } from "@bylaw/host-codex";
import { copilot } from "@bylaw/host-copilot";
import { geminiCli } from "@bylaw/host-gemini-cli";
import { opencode } from "@bylaw/host-opencode";
import { pi } from "@bylaw/host-pi";
import type { ModelCall } from "./protocols.ts";

/** The folders and the model's address for one run of a program. */
export interface Place {
  readonly home: string;
  readonly project: string;
  /** The address of the model. */
  readonly url: string;
}

/** How to start a real program without a person, and the names of its settings. */
export interface Program {
  readonly host: Host;
  /** The executable below `node_modules/.bin`. */
  readonly bin: string;
  /** Whether its lockfile lacks optional packages of other platforms. `npm ci` refuses that, `npm install` leaves them out. */
  readonly incomplete?: true;
  /** Start-up time in milliseconds, if it is long. */
  readonly start_ms?: number;
  readonly args: readonly string[];
  readonly env: (place: Place) => Readonly<Record<string, string>>;
  /** Files that make it use the model, by their paths from the home folder. */
  readonly files: (place: Place) => Readonly<Record<string, string>>;
  /** The call of a shell line, under each possible name of the tool. The first that the program offers is used. */
  readonly shell: (line: string) => readonly ModelCall[];
  /** The call of a shell line in a folder, if the tool has an argument for it. */
  readonly shellIn?: (line: string, folder: string) => ModelCall;
  /** The call of a sub-agent with a prompt, if it was measured. */
  readonly agent?: (prompt: string) => ModelCall;
  /** A file of the project whose text runs a shell line when the model makes this call. */
  readonly skill?: (
    line: string,
  ) => Readonly<Record<"file" | "text", string>> & { readonly call: ModelCall };
  /** A file of the project with a hook that changes each call to this line, if the program does what such a hook says. */
  readonly changes?: (line: string) => Switch;
  /** Files of the project, each of which alone switches hooks off. */
  readonly off: readonly [Switch, ...Switch[]];
  /** Changes to files of the home folder, each of which alone makes it ignore a hook of the user. */
  readonly ignored?: readonly (readonly [file: string, change: (text: string) => string])[];
}

type Switch = readonly [file: string, text: string];

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
const PROMPT = "write the file";

// It answers after the hook of Bylaw.
const late = (answer: object): string => `sleep 1; printf '%s' '${JSON.stringify(answer)}'`;

const changing = (args: object): string => {
  const answer = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: args };
  const command = late({ hookSpecificOutput: answer });
  return json({ hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] } });
};

const claudeCodeProgram: Program = {
  host: claudeCode,
  bin: "claude",
  args: ["-p", PROMPT, "--output-format", "json", "--dangerously-skip-permissions"],
  env: ({ url }) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "dummy", IS_SANDBOX: "1" },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
  }),
  files: () => ({
    ".claude.json": json({ hasCompletedOnboarding: true }),
    ".claude/settings.json": '{\n\t"theme": "dark"\n}\n',
  }),
  shell: (command) => [{ name: "Bash", args: { command, description: "x" } }],
  agent: (prompt) => ({
    name: "Agent",
    args: { description: "d", prompt, subagent_type: "general-purpose", run_in_background: false },
  }),
  skill: (line) => ({
    file: ".claude/skills/some/SKILL.md",
    text: `---\nname: some\ndescription: some\n---\n!\`${line}\`\n`,
    call: { name: "Skill", args: { skill: "some" } },
  }),
  changes: (command) => [".claude/settings.json", changing({ command, description: "x" })],
  off: [[".claude/settings.json", json({ disableAllHooks: true })]],
};

const codexProgram: Program = {
  host: codex,
  bin: "codex",
  args: [
    ...["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
    ...["--dangerously-bypass-hook-trust", PROMPT],
  ],
  env: () => ({ MODEL_KEY: "dummy" }),
  files: ({ url, project }) => ({
    ".codex/config.toml": [
      'model = "fake"\nmodel_provider = "fake"\ncheck_for_update_on_startup = false',
      `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nwire_api = "responses"`,
      `env_key = "MODEL_KEY"\n[analytics]\nenabled = false`,
      `[projects."${project}"]\ntrust_level = "trusted"\n`,
    ].join("\n"),
  }),
  shell: (command) => [
    { name: "shell_command", args: { command } },
    { name: "exec_command", args: { cmd: command } },
    { name: "shell", args: { command: ["bash", "-lc", command] } },
  ],
  shellIn: (cmd, workdir) => ({ name: "exec_command", args: { cmd, workdir } }),
  agent: (message) => ({ name: "spawn_agent", namespace: "multi_agent_v1", args: { message } }),
  changes: (command) => [".codex/hooks.json", changing({ command })],
  off: [
    [".codex/config.toml", "[features]\nhooks = false\n"],
    [".codex/config.toml", "features = { codex_hooks = false }\n"],
    [".codex/config.toml", '[features]\n"\\u0068ooks" = false\n'],
  ],
};

const geminiProgram: Program = {
  host: geminiCli,
  bin: "gemini",
  args: [
    ...["-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
    ...["-p", PROMPT, "--output-format", "json"],
  ],
  env: ({ url }) => ({
    ...{ GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url },
    ...{ GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_TELEMETRY_ENABLED: "false" },
  }),
  files: () => ({
    ".gemini/settings.json": json({
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      ...{ privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } },
    }),
  }),
  shell: (command) => [{ name: "run_shell_command", args: { command, description: "x" } }],
  shellIn: (command, dir_path) => ({ name: "run_shell_command", args: { command, dir_path } }),
  agent: (prompt) => ({ name: "invoke_agent", args: { agent_name: "generalist", prompt } }),
  changes(command) {
    const answer = { decision: "allow", hookSpecificOutput: { tool_input: { command } } };
    const hook = { type: "command", command: late(answer) };
    return [".gemini/settings.json", json({ hooks: { BeforeTool: [{ hooks: [hook] }] } })];
  },
  off: [[".gemini/settings.json", json({ hooksConfig: { enabled: false } })]],
};

const copilotProgram: Program = {
  host: copilot,
  bin: "copilot",
  args: [
    ...["-p", PROMPT, "--allow-all-tools", "--trust-folder"],
    ...["--no-auto-update", "--no-color"],
  ],
  env: ({ url }) => ({
    ...{ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "dummy" },
    ...{ COPILOT_MODEL: "fake", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
  }),
  files: () => ({}),
  shell: (command) => [{ name: "bash", args: { command, description: "x" } }],
  agent: (prompt) => ({
    name: "task",
    args: { agent_type: "general-purpose", description: "d", name: "sub", prompt, mode: "sync" },
  }),
  changes(command) {
    const bash = late({ permissionDecision: "allow", modifiedArgs: { command, description: "x" } });
    const hooks = { preToolUse: [{ type: "command", bash }] };
    return [".github/hooks/other.json", json({ version: 1, hooks })];
  },
  off: [
    [".github/copilot/settings.json", json({ disableAllHooks: true })],
    [".claude/settings.local.json", json({ disableAllHooks: true })],
  ],
};

const qwenProgram: Program = {
  host: qwenCode,
  bin: "qwen",
  incomplete: true,
  args: ["-m", "fake", "--approval-mode", "yolo", "-p", PROMPT, "-o", "json"],
  env: ({ url }) => ({
    ...{ OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake" },
  }),
  files: () => ({
    ".qwen/settings.json": json({
      security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
      ...{ general: { enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false } },
    }),
  }),
  shell: (command) => [
    { name: "run_shell_command", args: { command, description: "x", is_background: false } },
  ],
  shellIn: (command, directory) => ({
    name: "run_shell_command",
    args: { command, is_background: false, directory },
  }),
  agent: (prompt) => ({
    name: "agent",
    args: { description: "d", subagent_type: "general-purpose", prompt },
  }),
  off: [
    [".qwen/settings.json", json({ disableAllHooks: true })],
    [".qwen/settings.json", json({ env: { QWEN_CODE_SAFE_MODE: "1" } })],
    [".env", "QWEN_CODE_SIMPLE=1\n"],
  ],
};

const droidProgram: Program = {
  host: droid,
  // It has no command of its own in this package.
  bin: "../@factory/cli-linux-x64/bin/droid",
  args: ["exec", "--auto", "high", "-m", "custom:fake", PROMPT],
  env: () => ({ FACTORY_API_KEY: "fk-dummy" }),
  files: ({ url }) => ({
    ".factory/settings.json": json({ includeCoAuthoredByDroid: false }),
    // Not in the file of the hook, so that it has a model without that file.
    ".factory/settings.local.json": json({
      customModels: [
        {
          ...{ model: "fake", displayName: "fake", baseUrl: `${url}/v1`, apiKey: "dummy" },
          ...{ provider: "generic-chat-completion-api", maxOutputTokens: 1000 },
        },
      ],
    }),
  }),
  shell: (command) => [
    {
      name: "Execute",
      args: { command, summary: "x", timeout: 10, riskLevelReason: "x", riskLevel: "low" },
    },
  ],
  changes: (command) => [
    ".factory/settings.json",
    changing({ command, summary: "x", timeout: 10, riskLevelReason: "x", riskLevel: "low" }),
  ],
  off: [
    [".factory/settings.json", json({ hooks: { hooksDisabled: true } })],
    [".factory/hooks.json", json({ hooksDisabled: true })],
    [".factory/settings.json", '// mine\n{ "hooks": { "hooksDisabled": true } }'],
  ],
  ignored: [
    [".factory/hooks.json", () => json({ PreToolUse: [] })],
    [".factory/hooks/hooks.json", () => json({ PreToolUse: [] })],
    [".factory/settings.json", (text) => text.replace('"hooks": {', '"hooks": { "PreCompact": 1,')],
  ],
};

// Code in the project needs no tool.
const RUNS_BESIDE = 'import { mkdirSync } from "node:fs";\nmkdirSync("denied");\n';

const piProgram: Program = {
  host: pi,
  bin: "pi",
  args: ["-p", "--offline", "--provider", "fake", "--model", "fake", PROMPT],
  env: () => ({ PI_OFFLINE: "1" }),
  files: ({ url }) => ({
    ".pi/agent/models.json": json({
      providers: {
        fake: {
          ...{ baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "dummy" },
          compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
          models: [{ id: "fake" }],
        },
      },
    }),
  }),
  shell: (command) => [{ name: "bash", args: { command } }],
  off: [[".pi/extensions/other.js", `${RUNS_BESIDE}export default () => {};\n`]],
};

const opencodeProgram: Program = {
  host: opencode,
  bin: "opencode",
  incomplete: true,
  start_ms: 300_000,
  args: ["run", "--format", "json", PROMPT],
  // It fetches packages when it starts.
  env: () => ({
    ...{ NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? "" },
    ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    ...{ OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1" },
  }),
  files: ({ url }) => ({
    ".config/opencode/opencode.json": json({
      ...{ autoupdate: false, share: "disabled", enabled_providers: ["fake"] },
      ...{ model: "fake/fake", small_model: "fake/fake" },
      permission: { bash: "allow", edit: "allow" },
      provider: {
        fake: {
          ...{ npm: "@ai-sdk/openai-compatible", name: "fake" },
          options: { baseURL: `${url}/v1`, apiKey: "dummy" },
          models: { fake: { name: "fake", limit: { context: 100_000, output: 4_000 } } },
        },
      },
    }),
  }),
  shell: (command) => [{ name: "bash", args: { command, description: "x" } }],
  shellIn: (command, workdir) => ({ name: "bash", args: { command, workdir } }),
  agent: (prompt) => ({
    name: "task",
    args: { description: "d", prompt, subagent_type: "general" },
  }),
  off: [[".opencode/plugin/other.js", `${RUNS_BESIDE}export const Other = async () => ({});\n`]],
};

/** The programs under test. */
export const PROGRAMS: readonly Program[] = [
  claudeCodeProgram,
  codexProgram,
  geminiProgram,
  copilotProgram,
  qwenProgram,
  droidProgram,
  piProgram,
  opencodeProgram,
];

const folderOf = ({ host }: Program): string => join(import.meta.dirname, "programs", host.name);

/** The executable file of a program. */
export const fileOf = (program: Program): string =>
  join(folderOf(program), "node_modules/.bin", program.bin);

/** Installs a program from its lockfile into its own folder. Returns the reason if that fails. */
export const fetchProgram = (program: Program): string | undefined =>
  program.incomplete === true
    ? fetchInto(folderOf(program), fileOf(program), ["install", "--no-save"])
    : fetchInto(folderOf(program), fileOf(program));

/** Installs what the lockfile of a folder names, until `file` exists. Returns the reason if that fails. */
export function fetchInto(
  folder: string,
  file: string,
  command: readonly string[] = ["ci"],
): string | undefined {
  if (existsSync(file)) return undefined;
  const ran = spawnSync("npm", [...command, "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
    timeout: 600_000,
  });
  if (ran.status === 0 && existsSync(file)) return undefined;
  const said = ran.error?.message ?? ran.stderr.trim().split("\n")[0] ?? "";
  return `\`npm ${command[0]}\` in ${folder} failed: ${said}`;
}
