import {
  hookOutputJson,
  describeHost,
  installHooks,
  uninstallHooks,
  type Host,
  type HostOutput,
} from "@bylaw/host";
import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codex } from "../src/index.ts";

const COMMON = {
  session_id: "00000000-0000-0000-0000-000000000000",
  turn_id: "00000000-0000-0000-0000-000000000000",
  transcript_path: "/home/u/.codex/sessions/0.jsonl",
  cwd: "/home/u/project",
  model: "fake",
  permission_mode: "bypassPermissions",
};
const SUB_AGENT = { agent_id: "a49f", agent_type: "default" };
const { session_id: session } = COMMON;
const CALL = {
  ...COMMON,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "echo hello > out.txt" },
  tool_use_id: "call_c1_0",
};
const KNOWN = ["hookEventName", "permissionDecision", "permissionDecisionReason"];

/** What version 0.169.0 does, measured with the real program. An unknown answer lets the call run. */
function outcome({ stdout, exit }: HostOutput): "blocks" | "asks" | "allows" | "goes on" {
  if (exit !== 0) return "goes on";
  const { hookSpecificOutput = {}, ...others } = JSON.parse(stdout) as {
    hookSpecificOutput?: Record<string, string>;
  };
  const known = Object.keys(hookSpecificOutput).every((key) => KNOWN.includes(key));
  const { permissionDecision, permissionDecisionReason: reason = "" } = hookSpecificOutput;
  const denied = permissionDecision === "deny" && reason !== "" && known;
  return denied && Object.keys(others).length === 0 ? "blocks" : "goes on";
}

function changed({ stdout }: HostOutput): JsonObject | undefined {
  const { hookSpecificOutput: answer } = hookOutputJson(stdout);
  return isJsonObject(answer) && answer["permissionDecision"] === "allow"
    ? (answer["updatedInput"] as JsonObject | undefined)
    : undefined;
}

describeHost(
  {
    host: codex,
    payload: CALL,
    keys: { tool: "tool_name", args: "tool_input", cwd: "cwd" },
    // Codex sends the same payload for `true` and for `exit 3`.
    returned: [
      { payload: { ...CALL, hook_event_name: "PostToolUse", tool_response: "" }, ok: true },
    ],
    session: [
      {
        payload: { ...COMMON, hook_event_name: "SessionStart", source: "startup" },
        ...{ type: "host_session_started", session },
      },
      {
        payload: { ...COMMON, hook_event_name: "SessionEnd", reason: "other" },
        ...{ type: "host_session_ended", session },
      },
      {
        payload: { ...COMMON, hook_event_name: "UserPromptSubmit", prompt: "write the file" },
        ...{ type: "prompt_submitted", session, prompt: "write the file" },
      },
      {
        payload: { ...COMMON, ...SUB_AGENT, hook_event_name: "SubagentStart" },
        ...{ type: "subagent_started", session, agent: "a49f" },
      },
      {
        payload: {
          ...COMMON,
          ...SUB_AGENT,
          hook_event_name: "SubagentStop",
          stop_hook_active: false,
        },
        ...{ type: "subagent_stopped", session, agent: "a49f" },
      },
    ],
    unknown: { ...COMMON, hook_event_name: "PreCompact", trigger: "auto" },
    ...{ outcome, changed },
  },
  { describe, it },
);

describe("an event of Codex", () => {
  it("has the text of a patch where the rules expect it", () => {
    const input = { ...CALL, tool_name: "apply_patch", tool_input: { command: "*** Begin Patch" } };
    expect(codex.read(input, { home: "/home/u", cwd: "/home/u/project", env: {} })).toMatchObject({
      call: { tool: "apply_patch", args: { patch: "*** Begin Patch" } },
    });
  });

  // Measured: the `workdir` of a command is the `cwd` of its event, and the hook runs in the folder of the session.
  it("has the folder of the session as its workspace, whatever folder the model chooses", () => {
    const place = { home: "/home/u", cwd: "/home/u/project", env: {} };
    expect(codex.read({ ...CALL, cwd: "/home/u/other" }, place)).toMatchObject({
      call: { cwd: "/home/u/other", workspace: "/home/u/project" },
    });
  });
});

// Each was measured: Codex skips all hooks.
it.each([
  "[features]\nhooks = false\n",
  "features = { hooks = false }\n",
  "features.hooks=false",
  '"features" . "hooks" = false\n',
  "[features]\ncodex_hooks = false\n",
  '[features]\n"\\u0068ooks" = false\n',
  '[features]\n"h\\U0000006foks" = false\n',
  'x = """\n#""" \n[features]\nhooks = false\n',
])("a project that switches hooks off is reported: %j", (text) => {
  expect(codex.switchedOff({ text }, "project")).toMatch(/hooks.* = ?false|hooks=false/);
});

it.each(["[features]\nhooks = true\n# hooks = false\n", "[features]\nmy_hooks = false\n", "x = 1"])(
  "other settings are not: %j",
  (text) => expect(codex.switchedOff({ text }, "project")).toBeUndefined(),
);

describe("the requirements of a machine", () => {
  const COMMAND = "'/usr/bin/node' '/opt/bylaw.js' hook codex --config '/etc/bylaw/b.json'";
  const [managed] = codex.files({ home: "/home/u", cwd: "/home/u/project", env: {} }, "/p");
  const own = (command: string) => codex.ownFile?.(managed?.file ?? "", command) ?? "";
  const text = own(COMMAND);
  // The same host, with a file in a folder of the test.
  const host: Host = { ...codex, ownFile: (_, command) => own(command) };

  it("switch hooks on, and call Bylaw", () => {
    expect(managed).toMatchObject({ scope: "managed", target: true });
    expect(text).toContain("[features]\nhooks = true\n");
    expect(text).toContain(`command = ${JSON.stringify(COMMAND)}`);
    expect(codex.ownFile?.("/home/u/.codex/hooks.json", COMMAND)).toBeUndefined();
  });

  it("are written whole and removed whole, and changed files are left alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "bylaw-codex-"));
    const file = join(folder, "requirements.toml");
    try {
      expect(installHooks(host, file, COMMAND).state).toBe("installed");
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(installHooks(host, file, COMMAND).state).toBe("unchanged");
      expect(installHooks(host, file, `${COMMAND} --strict`).state).toBe("updated");
      expect(uninstallHooks(host, file).state).toBe("removed");
      expect(uninstallHooks(host, file).state).toBe("absent");
      writeFileSync(file, "[features]\n");
      expect(() => installHooks(host, file, COMMAND)).toThrow(/somebody changed it/);
      expect(uninstallHooks(host, file).state).toBe("absent");
      expect(readFileSync(file, "utf8")).toBe("[features]\n");
      const shared = `${text}\nallowed_approval_policies = ["untrusted"]\n`;
      writeFileSync(file, shared);
      expect(() => installHooks(host, file, COMMAND)).toThrow(/somebody changed it/);
      expect(() => uninstallHooks(host, file)).toThrow(/somebody changed it/);
      expect(readFileSync(file, "utf8")).toBe(shared);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
