import { hookOutputJson, describeHost, type HostOutput } from "@bylaw/host";
import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../src/index.ts";

const COMMON = {
  session_id: "00000000-0000-0000-0000-000000000000",
  transcript_path: "/home/u/.claude/projects/p/0.jsonl",
  cwd: "/home/u/project",
  prompt_id: "00000000-0000-0000-0000-000000000000",
};
const SUB_AGENT = { agent_id: "a49f", agent_type: "general-purpose" };
const { session_id: session } = COMMON;
const CALL = {
  ...COMMON,
  permission_mode: "bypassPermissions",
  effort: { level: "medium" },
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "echo hello > out.txt", description: "write" },
  tool_use_id: "toolu_c1_0",
};

const ENDED = { stdout: "hello", stderr: "", interrupted: false, isImage: false };
const returned = (change: object) => ({
  ...{ ...CALL, hook_event_name: "PostToolUse", duration_ms: 25 },
  tool_response: { ...ENDED, noOutputExpected: false, ...change },
});

/** What version 2.1.330 does, measured with the real program. */
function outcome({ stdout, stderr, exit }: HostOutput): "blocks" | "asks" | "allows" | "goes on" {
  if (exit === 2) return stderr.trim() === "" ? "goes on" : "blocks";
  const {
    hookSpecificOutput,
    continue: goesOn = true,
    stopReason,
    ...others
  } = JSON.parse(stdout) as {
    hookSpecificOutput?: Record<string, string>;
    continue?: boolean;
    stopReason?: string;
  };
  if (hookSpecificOutput === undefined) return "goes on";
  expect(others).toEqual({});
  // Without a deny beside it, the call would still run.
  if (!goesOn)
    expect([hookSpecificOutput["permissionDecision"], stopReason]).toEqual([
      "deny",
      expect.anything(),
    ]);
  const { hookEventName, permissionDecision, permissionDecisionReason } = hookSpecificOutput;
  expect(hookEventName).toBe("PreToolUse");
  expect(permissionDecisionReason).not.toBe("");
  return (
    ({ deny: "blocks", ask: "asks", allow: "allows" } as const)[permissionDecision ?? ""] ??
    "goes on"
  );
}

function changed({ stdout }: HostOutput): JsonObject | undefined {
  const { hookSpecificOutput: answer } = hookOutputJson(stdout);
  return isJsonObject(answer) && answer["permissionDecision"] === "allow"
    ? (answer["updatedInput"] as JsonObject | undefined)
    : undefined;
}

describeHost(
  {
    host: claudeCode,
    payload: CALL,
    keys: { tool: "tool_name", args: "tool_input", cwd: "cwd" },
    returned: [
      { payload: returned({}), ok: true, exit_code: 0 },
      // A search without a match exits with 1, which is no failure.
      { payload: returned({ returnCodeInterpretation: "No matches found" }), ok: true },
      { payload: returned({ backgroundTaskId: "b1" }), ok: true },
      { payload: returned({ timedOutAfterMs: 120_000 }), ok: true },
      { payload: returned({ interrupted: true }), ok: true },
      { payload: { ...returned({}), tool_name: "mcp__a__run" }, ok: true },
      {
        payload: { ...CALL, hook_event_name: "PostToolUseFailure", error: "Exit code 3" },
        ok: false,
      },
      { payload: { ...returned({}), hook_event_name: "PostToolUseFailure" }, ok: false },
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
    unknown: { ...COMMON, hook_event_name: "MessageDisplay", text: "hello" },
    ...{ outcome, changed },
  },
  { describe, it },
);

const place = {
  home: "/home/u",
  cwd: "/home/u/project",
  env: { CLAUDE_PROJECT_DIR: "/home/u/project" },
};
const read = (change: object) => claudeCode.read({ ...CALL, ...change } as never, place);

describe("an event of Claude Code", () => {
  it("has the project as its workspace, whatever the agent's current folder", () => {
    expect(read({ cwd: "/tmp" })).toMatchObject({
      call: { cwd: "/tmp", workspace: "/home/u/project", id: "toolu_c1_0" },
    });
  });

  it("of a sub-agent has its own agent and the same session", () => {
    expect(read({ agent_id: "a49f", agent_type: "general-purpose" })).toMatchObject({
      call: { agent: "a49f", session: COMMON.session_id },
    });
    expect(read({})).not.toHaveProperty("call.agent");
  });

  it("names the MCP server of a tool if it is unambiguous", () => {
    expect(read({ tool_name: "mcp__github__get_issue" })).toMatchObject({
      call: { server: "github" },
    });
    expect(read({ tool_name: "mcp__a__b__c" })).not.toHaveProperty("call.server");
    expect(
      read({ tool_name: "mcp__a__b__c", mcp_server: { name: "a__b", source: "user" } }),
    ).toMatchObject({ call: { server: "a__b" } });
  });

  it("without a name is treated as a call", () => {
    expect(read({ hook_event_name: undefined })).toMatchObject({ kind: "tool_call" });
  });

  it("at the end of a turn asks whether the agent is done", () => {
    const stop = { ...COMMON, hook_event_name: "Stop", stop_hook_active: true };
    const event = claudeCode.read({ ...stop, last_assistant_message: "DONE" }, place);
    expect(event).toMatchObject({ kind: "stop", again: true, text: "DONE" });
    expect(JSON.parse(claudeCode.answer(event, { kind: "deny", reason: "tests" }).stdout)).toEqual({
      decision: "block",
      reason: "tests",
    });
  });
});

describe("settings of Claude Code that bypass the hook", () => {
  it.each([
    [{ disableAllHooks: true }, /disableAllHooks/],
    [{ disableSkillShellExecution: false }, /disableSkillShellExecution/],
    [{ env: { NODE_OPTIONS: "--require ./x.cjs" } }, /NODE_OPTIONS/],
    [{ env: { BASH_ENV: "./x.sh" } }, /BASH_ENV/],
    [{ env: { LD_PRELOAD: "./x.so" } }, /LD_PRELOAD/],
    [{ env: { HOME: "/tmp" } }, /HOME/],
    // Measured: it starts the hook of a user, and not that of an administrator.
    [{ env: { CLAUDE_CODE_SHELL_PREFIX: "./x.sh" } }, /CLAUDE_CODE_SHELL_PREFIX/],
    [{ env: { CLAUDE_CODE_GIT_BASH_PATH: "./x.exe" } }, /CLAUDE_CODE_GIT_BASH_PATH/],
    [{ env: { OPENSSL_CONF: "./x.cnf" } }, /OPENSSL_CONF/],
    [{ env: { NODE_COMPILE_CACHE: "./x" } }, /NODE_COMPILE_CACHE/],
    [{ env: { JITI_ALIAS: "{}" } }, /JITI_ALIAS/],
    [{ env: { "BASH_FUNC_[%%": "() { exit; }" } }, /BASH_FUNC_\[%%/],
    [{ env: { XDG_CONFIG_HOME: "/tmp" } }, /XDG_CONFIG_HOME/],
    [{ env: { BYLAW_MCP_URL: "http://x" } }, /BYLAW_MCP_URL/],
  ])("%j", (settings, told) => {
    expect(claudeCode.switchedOff(settings, "user")).toMatch(told);
  });

  it.each([{}, { disableAllHooks: false }, { env: { NODE_ENV: "x" } }])("not %j", (settings) => {
    expect(claudeCode.switchedOff(settings, "user")).toBeUndefined();
  });
});
