import { describeHost, type HostOutput } from "@bylaw/host";
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
const CALL = {
  ...COMMON,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "echo hello > out.txt" },
  tool_use_id: "call_c1_0",
};
const KNOWN = ["hookEventName", "permissionDecision", "permissionDecisionReason"];

/** What 0.169.0 does, measured with the real program: what it does not know lets the call run. */
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

describeHost(
  {
    host: codex,
    payload: CALL,
    keys: { tool: "tool_name", args: "tool_input", cwd: "cwd" },
    unknown: { ...COMMON, hook_event_name: "SessionStart", source: "startup" },
    outcome,
  },
  { describe, it },
);

describe("an event of Codex", () => {
  it("has the text of a patch where the rules look for it", () => {
    const input = { ...CALL, tool_name: "apply_patch", tool_input: { command: "*** Begin Patch" } };
    expect(codex.read(input, { home: "/home/u", env: {} })).toMatchObject({
      call: { tool: "apply_patch", args: { patch: "*** Begin Patch" } },
    });
  });
});

it("a project that switches hooks off is seen", () => {
  expect(codex.switchedOff({ text: "[features]\nhooks = false\n" }, "project")).toMatch(
    /hooks = false/,
  );
  expect(
    codex.switchedOff({ text: "[features]\nhooks = true\n# hooks = false\n" }, "project"),
  ).toBeUndefined();
});
