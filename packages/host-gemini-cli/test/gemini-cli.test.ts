import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hookOutputJson,
  describeHost,
  installHooks,
  uninstallHooks,
  type HostOutput,
} from "@bylaw/host";
import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { geminiCli } from "../src/index.ts";

const COMMON = {
  session_id: "00000000-0000-0000-0000-000000000000",
  transcript_path: "/home/u/.gemini/tmp/p/chats/s.jsonl",
  cwd: "/home/u/project",
  timestamp: "2026-11-23T10:24:32.705Z",
};
const { session_id: session } = COMMON;
const CALL = {
  ...COMMON,
  hook_event_name: "BeforeTool",
  tool_name: "run_shell_command",
  tool_input: { command: "echo hello > out.txt", description: "x" },
};

/** What version 0.61.0 does, measured with the real program. */
function outcome({ stdout, stderr, exit }: HostOutput): "blocks" | "asks" | "allows" | "goes on" {
  if (exit !== 0) return exit === 2 && stderr.trim() !== "" ? "blocks" : "goes on";
  const { decision } = JSON.parse(stdout) as { decision?: string };
  if (decision === undefined) return "goes on";
  return ({ deny: "blocks", allow: "allows", ask: "asks" } as const)[decision] ?? "goes on";
}

describeHost(
  {
    host: geminiCli,
    payload: CALL,
    keys: { tool: "tool_name", args: "tool_input", cwd: "cwd" },
    // The line with the exit code is missing if the code is 0, or if a long output was cut.
    returned: [
      {
        payload: {
          ...{ ...CALL, hook_event_name: "AfterTool" },
          tool_response: { llmContent: "Output: (empty)\nProcess Group PGID: 7" },
        },
        ok: true,
      },
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
        payload: { ...COMMON, hook_event_name: "BeforeAgent", prompt: "write the file" },
        ...{ type: "prompt_submitted", session, prompt: "write the file" },
      },
    ],
    unknown: { ...COMMON, hook_event_name: "BeforeToolSelection", llm_request: {} },
    outcome,
    changed({ stdout }) {
      const { decision, hookSpecificOutput: answer } = hookOutputJson(stdout);
      return decision === "allow" && isJsonObject(answer)
        ? (answer["tool_input"] as JsonObject)
        : undefined;
    },
  },
  { describe, it },
);

describe("settings of Gemini CLI that switch the hook off", () => {
  it.each([{ enabled: false }, { disabled: ["bylaw"] }])("%j", (hooksConfig) => {
    expect(geminiCli.switchedOff({ hooksConfig }, "project")).toMatch(/hooksConfig/);
  });

  it("none else", () => {
    expect(geminiCli.switchedOff({}, "project")).toBeUndefined();
    expect(geminiCli.switchedOff({ hooksConfig: { enabled: true } }, "managed")).toBeUndefined();
  });

  it("and managed settings that let a project switch the hook off", () => {
    for (const settings of [{}, { hooksConfig: {} }, { hooksConfig: { disabled: [] } }])
      expect(geminiCli.switchedOff(settings, "managed")).toMatch(
        /^no `hooksConfig\.enabled: true`\. Add it/,
      );
  });

  it("but not the managed settings of an administrator after Bylaw was added to them", () => {
    const folder = mkdtempSync(join(tmpdir(), "bylaw-gemini-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "settings.json");
    const text = '{ // ours\n  "ui": { "theme": "dark" }\n}\n';
    writeFileSync(file, text);
    installHooks(geminiCli, file, "'/n' '/b' hook gemini-cli --config '/c'");
    const settings = JSON.parse(readFileSync(file, "utf8").replace(" // ours", "")) as JsonObject;
    expect(settings).toMatchObject({ ui: { theme: "dark" }, hooksConfig: { enabled: true } });
    expect(geminiCli.switchedOff(settings, "managed")).toBeUndefined();
    uninstallHooks(geminiCli, file);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
