import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  hookOutputJson,
  describeHost,
  findInstallFault,
  inspectSettings,
  installHooks,
  type Host,
  type HostCase,
  type HostOutput,
} from "@bylaw/host";
import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { droid, qwenCode } from "../src/index.ts";

const COMMON = {
  session_id: "00000000-0000-0000-0000-000000000000",
  transcript_path: "/home/u/.agent/0.jsonl",
  cwd: "/home/u/project",
};
const CALLS = [
  [
    qwenCode,
    {
      ...{ permission_mode: "yolo", tool_name: "run_shell_command", tool_use_id: "toolu_1" },
      ...{ tool_input: { command: "echo hello > out.txt", description: "x" } },
    },
  ],
  [
    droid,
    {
      ...{ permission_mode: "auto-high", tool_name: "Execute" },
      ...{ tool_input: { command: "echo hello > out.txt", riskLevel: "low" } },
    },
  ],
] as const;

const { session_id: session } = COMMON;
const EVENT = { ...COMMON, timestamp: "2026-11-23T10:24:37.887Z", permission_mode: "yolo" };
const STARTED: HostCase["session"][number] = {
  payload: { ...EVENT, hook_event_name: "SessionStart", source: "startup" },
  ...{ type: "host_session_started", session },
};
const SUB_AGENT = { ...EVENT, agent_id: "general-purpose-call_1", agent_type: "general-purpose" };
const SESSION: readonly HostCase["session"][] = [
  [
    STARTED,
    {
      payload: {
        ...EVENT,
        hook_event_name: "UserPromptSubmit",
        prompt_id: "0########0",
        prompt: "hi",
      },
      ...{ type: "prompt_submitted", session, prompt: "hi" },
    },
    ...(["SubagentStart", "SubagentStop"] as const).map((hook_event_name) => ({
      payload: { ...SUB_AGENT, hook_event_name },
      ...({
        type: hook_event_name === "SubagentStart" ? "subagent_started" : "subagent_stopped",
      } as const),
      ...{ session, agent: SUB_AGENT.agent_id },
    })),
  ],
  [
    STARTED,
    {
      payload: { ...COMMON, hook_event_name: "SessionEnd", reason: "other" },
      ...{ type: "host_session_ended", session },
    },
  ],
];

const end = (code: number | string): string =>
  `\nError: (none)\nExit Code: ${code}\nSignal: (none)\nProcess Group PGID: (none)`;
const qwenReturned = (llmContent: string) => ({
  ...{ ...COMMON, ...CALLS[0][1], hook_event_name: "PostToolUse" },
  tool_response: { llmContent, returnDisplay: "" },
});
const RETURNED: readonly HostCase["returned"][] = [
  [
    { payload: qwenReturned(`Command: x\nOutput: hi${end(0)}`), ok: true, exit_code: 0 },
    { payload: qwenReturned(`Command: x\nOutput: hi${end(0)}${end(1)}`), ok: true, exit_code: 1 },
    // The output of a command that was stopped comes last.
    { payload: qwenReturned(`Command timed out. Output:\nCommand: x${end(0)}`), ok: true },
    { payload: qwenReturned(`Command: x\nOutput: hi${end("(none)")}`), ok: true },
    {
      payload: { ...qwenReturned(""), hook_event_name: "PostToolUseFailure", error: "" },
      ok: false,
    },
  ],
  [
    {
      payload: {
        ...{ ...COMMON, ...CALLS[1][1], hook_event_name: "PostToolUse" },
        tool_response: "hi\n\n\n[Process exited with code 0]",
      },
      ok: true,
    },
  ],
];

/** What both agents do, measured with the real programs: a failure other than exit code 2 lets the call run. */
function changed({ stdout }: HostOutput): JsonObject | undefined {
  const { hookSpecificOutput: answer } = hookOutputJson(stdout);
  return isJsonObject(answer) && answer["permissionDecision"] === "allow"
    ? (answer["updatedInput"] as JsonObject | undefined)
    : undefined;
}

function outcome({ stdout, stderr, exit }: HostOutput): "blocks" | "asks" | "allows" | "goes on" {
  if (exit === 2) return stderr.trim() === "" ? "goes on" : "blocks";
  if (exit !== 0) return "goes on";
  const { hookSpecificOutput: answer } = JSON.parse(stdout) as {
    hookSpecificOutput?: { permissionDecision: string };
  };
  return (
    ({ deny: "blocks", ask: "asks", allow: "allows" } as const)[answer?.permissionDecision ?? ""] ??
    "goes on"
  );
}

for (const [at, [host, call]] of CALLS.entries())
  describeHost(
    {
      ...{ host, outcome, changed },
      payload: { ...COMMON, hook_event_name: "PreToolUse", ...call },
      returned: RETURNED[at] ?? [],
      session: SESSION[at] ?? [],
      keys: { tool: "tool_name", args: "tool_input", cwd: "cwd" },
      unknown: { ...COMMON, hook_event_name: "Notification", message: "hi" },
    },
    { describe, it },
  );

describe.each(CALLS.map(([host]) => [host.title, host] as const))("%s", (_, host) => {
  it("is told to block by the shell if Bylaw ends without an answer", () => {
    const text = JSON.stringify(host.hooks(() => "bylaw"));
    expect(text).toMatch(/bylaw \|\| .*exit 2/);
  });

  it("reports no setting of others that switches hooks off", () => {
    expect(host.switchedOff({}, "project")).toBeUndefined();
    expect(
      host.switchedOff({ env: { PORT: "1" }, hooks: { Stop: [] } }, "project"),
    ).toBeUndefined();
  });
});

function installed(host: Host) {
  const home = mkdtempSync(join(tmpdir(), "bylaw-variants-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [place, project] = [{ home, cwd: home, env: {} }, join(home, "project")];
  const fault = () => findInstallFault(host, inspectSettings(host, place, project));
  const settings = host.files(place, project)[0]?.file ?? "";
  installHooks(host, settings, `'/n' '/b' hook ${host.name} --config '/c'`);
  return { home, project, settings, fault };
}

// Each was measured: the agent skips all hooks.
it.each<readonly [Host, string, string]>([
  [qwenCode, ".qwen/settings.json", '{ "disableAllHooks": true }'],
  [qwenCode, ".qwen/settings.json", '{ "env": { "QWEN_CODE_SAFE_MODE": "1" } }'],
  [qwenCode, ".qwen/.env", "A=1\nQWEN_CODE_SAFE_MODE=1\n"],
  [qwenCode, ".env", "export QWEN_CODE_SIMPLE = true"],
  [droid, ".factory/settings.json", '{ "hooks": { "hooksDisabled": true } }'],
  [droid, ".factory/hooks.json", '{ "hooksDisabled": true }'],
  [droid, ".factory/hooks/hooks.json", '{ "hooksDisabled": true }'],
  [droid, ".factory/settings.json", '// mine\n{ "hooks": { "hooksDisabled": true } }'],
  [droid, ".factory/hooks.json", '{ "hooksDisabled": "yes" }'],
  // It is unknown whether Droid ends the comment at a carriage return.
  [droid, ".factory/hooks.json", '{ // mine\r"hooksDisabled": true\n}'],
])("$title is switched off by a project: %s %s", (host, name, text) => {
  const { project, fault } = installed(host);
  const file = join(project, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(project, ".env"), "ENV=production\nPORT=1\n# QWEN_CODE_SAFE_MODE=1\n");
  expect(fault()).toBeUndefined();
  writeFileSync(file, text);
  expect(fault()).toContain(file);
});

it("accepts comments in the settings of Droid, and reports a trailing comma", () => {
  const { settings, fault } = installed(droid);
  const text = readFileSync(settings, "utf8");
  writeFileSync(settings, `// mine\n${text.replace('"hooks": {', '"hooks": { /* ours */')}// end`);
  expect(fault()).toBeUndefined();
  writeFileSync(settings, text.replace(/\}\s*$/, ",}"));
  expect(fault()).toContain("does not read settings with trailing commas");
});

const LIST = '[{ "hooks": [{ "type": "command", "command": "true" }] }]';

// Measured: the hooks of an event in these files are used instead of those in the settings of the same folder.
it.each([".factory/hooks.json", ".factory/hooks/hooks.json"])(
  "a file beside the settings of Droid replaces the hook: %s",
  (name) => {
    const { home, project, settings, fault } = installed(droid);
    const [own, other] = [join(home, name), join(project, name)];
    for (const file of [own, other]) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(other, `{ "PreToolUse": ${LIST} }`);
    writeFileSync(own, `{ "Notification": ${LIST}, "hooks": {}, "Other": 1 }`);
    expect(fault()).toBeUndefined();
    for (const list of ["[]", LIST]) {
      writeFileSync(own, `{ "PreToolUse": ${list} }`);
      expect(fault()).toMatch(/hooks\.json has `PreToolUse`, which replaces the hook of Bylaw/);
    }
    // Droid can move all hooks there.
    const { hooks } = JSON.parse(readFileSync(settings, "utf8")) as { hooks: object };
    writeFileSync(own, JSON.stringify(hooks));
    expect(fault()).toBeUndefined();
  },
);

// Measured: Droid then skips all hooks of the settings.
it.each([
  '"PreCompact": {}',
  '"PreCompact": [1]',
  '"PreCompact": [{ "hooks": {} }]',
  '"PreCompact": [{ "matcher": 1, "hooks": [] }]',
  '"PreCompact": [{ "hooks": [{ "type": "command" }] }]',
  '"PreCompact": [{ "hooks": [{ "type": "prompt", "command": "true" }] }]',
  '"PreCompact": [{ "hooks": [{ "type": "command", "command": "true", "timeout": "5" }] }]',
  '"showHookOutput": 1',
])("a hook that Droid cannot read switches its hooks off: %s", (member) => {
  const { settings, fault } = installed(droid);
  const text = readFileSync(settings, "utf8");
  writeFileSync(settings, text.replace('"hooks": {', `"hooks": { ${member},`));
  expect(fault()).toMatch(/has `hooks\.\w+` in a shape that Droid cannot read/);
});
