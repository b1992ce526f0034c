import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hookOutputJson,
  describeHost,
  findInstallFault,
  inspectSettings,
  installHooks,
  type HostOutput,
} from "@bylaw/host";
import type { JsonObject } from "@bylaw/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { copilot } from "../src/index.ts";

const COMMON = {
  sessionId: "00000000-0000-0000-0000-000000000000",
  timestamp: 1_795_429_475_225,
  cwd: "/home/u/project",
};

const { sessionId: session } = COMMON;
const SUB_AGENT = { agentId: "a49f", agentType: "general-purpose", parentAgentId: session };
const CALL = { ...COMMON, toolName: "bash", toolArgs: { command: "echo hello > out.txt" } };
const returned = (textResultForLlm: string) => ({
  ...CALL,
  toolResult: { resultType: "success", textResultForLlm },
});
const ended = (code: number): string => `\n<shellId: 0 completed with exit code ${code}>`;
const named = "postToolUse";

/** What version 1.0.102 does, measured with the real program. */
function outcome({ stdout, exit }: HostOutput): "blocks" | "asks" | "allows" | "goes on" {
  if (exit !== 0) return "blocks";
  const { permissionDecision = "" } = JSON.parse(stdout) as { permissionDecision?: string };
  return (
    ({ deny: "blocks", allow: "allows", ask: "asks" } as const)[permissionDecision] ?? "goes on"
  );
}

describeHost(
  {
    host: copilot,
    payload: CALL,
    named: "preToolUse",
    keys: { tool: "toolName", args: "toolArgs", cwd: "cwd" },
    returned: [
      { payload: returned(ended(0)), named, ok: true, exit_code: 0 },
      { payload: returned(`hi${ended(0)}${ended(3)}`), named, ok: true, exit_code: 3 },
      { payload: returned(`${ended(0)}\n<shellId: 0 is still running>`), named, ok: true },
      { payload: { ...returned(ended(0)), toolName: "mcp-run" }, named, ok: true },
      { payload: { ...CALL, error: "x" }, named: "postToolUseFailure", ok: false },
    ],
    session: [
      {
        payload: { ...COMMON, source: "new", initialPrompt: "write the file" },
        ...{ named: "sessionStart", type: "host_session_started", session },
      },
      {
        payload: { ...COMMON, reason: "complete" },
        ...{ named: "sessionEnd", type: "host_session_ended", session },
      },
      {
        payload: { ...COMMON, prompt: "write the file" },
        ...{ named: "userPromptSubmitted", type: "prompt_submitted", session },
        prompt: "write the file",
      },
      // A sub-agent has a session of its own, which its first event does not name.
      {
        payload: { ...COMMON, ...SUB_AGENT, prompt: "look" },
        ...{ named: "userPromptSubmitted", type: "prompt_submitted", session, agent: "a49f" },
        prompt: "look",
      },
      {
        payload: { ...COMMON, ...SUB_AGENT, sessionId: "6d6c", agentName: "general-purpose" },
        ...{ named: "subagentStart", type: "subagent_started", session, agent: "a49f" },
      },
      {
        payload: { ...COMMON, ...SUB_AGENT, stopReason: "end_turn" },
        ...{ named: "subagentStop", type: "subagent_stopped", session, agent: "a49f" },
      },
    ],
    unknown: { ...COMMON, toolName: "bash", toolInput: { command: "ls" } },
    unknownNamed: "permissionRequest",
    outcome,
    changed: ({ stdout }) => hookOutputJson(stdout)["modifiedArgs"] as JsonObject | undefined,
  },
  { describe, it },
);

it.each(["preToolUse", "postToolUse", "agentStop"])("has the session of its parent: %s", (name) => {
  const event = copilot.read(
    { ...returned(ended(0)), ...SUB_AGENT, sessionId: "a49f" },
    { home: "/home/u", cwd: "/home/u/project", env: {} },
    name,
  );
  expect("call" in event ? event.call : event).toMatchObject({ session, agent: "a49f" });
});

it("a hook file of a project that switches all hooks off is reported", () => {
  const home = mkdtempSync(join(tmpdir(), "bylaw-copilot-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "project");
  const command = `'/n' '/b' hook copilot --config '/c'`;
  installHooks(copilot, join(home, ".copilot/hooks/bylaw.json"), command);
  const fault = () =>
    findInstallFault(copilot, inspectSettings(copilot, { home, cwd: home, env: {} }, project));
  // Copilot's own file. It contains comments, and cannot switch hooks off.
  writeFileSync(join(home, ".copilot/config.json"), "// This file is managed automatically.\n{}");
  expect(fault()).toBeUndefined();
  mkdirSync(join(project, ".github/hooks"), { recursive: true });
  mkdirSync(join(project, ".claude"));
  // Measured: Copilot obeys the settings of Claude Code.
  for (const name of [
    ".github/hooks/off.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
  ]) {
    const file = join(project, name);
    writeFileSync(file, '{"version":1,"disableAllHooks":true}');
    expect(fault()).toBe(`${file} has \`disableAllHooks: true\``);
    rmSync(file);
  }
});
