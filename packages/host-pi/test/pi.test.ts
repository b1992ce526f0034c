import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hookOutputJson, describeHost } from "@bylaw/host";
import type { JsonObject } from "@bylaw/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { pi } from "../src/index.ts";

const CALL = {
  ...{ event: "tool_call", tool: "bash", args: { command: "echo hello > out.txt" } },
  ...{ id: "call_c1_0", session: "0199", cwd: "/home/u/project" },
};

describeHost(
  {
    host: pi,
    payload: CALL,
    keys: { tool: "tool", args: "args", cwd: "cwd" },
    unknown: { ...CALL, event: "session_start" },
    session: [
      {
        payload: { event: "SessionStart", session: "0199", cwd: "/p", source: "startup" },
        ...{ type: "host_session_started", session: "0199" },
      },
      {
        payload: { event: "SessionEnd", session: "0199", cwd: "/p", reason: "quit" },
        ...{ type: "host_session_ended", session: "0199" },
      },
      {
        payload: { event: "UserPromptSubmit", session: "0199", cwd: "/p", prompt: "hi" },
        ...{ type: "prompt_submitted", session: "0199", prompt: "hi" },
      },
    ],
    returned: [true, false].map((ok) => ({ payload: { ...CALL, event: "tool_result", ok }, ok })),
    outcome: (output) => (pi.blocks(output) ? "blocks" : "goes on"),
    changed: ({ stdout }) => hookOutputJson(stdout)["args"] as JsonObject | undefined,
  },
  { describe, it },
);

it("reports code and settings of a project or user that can bypass it", () => {
  expect(pi.switchedOff({ extensions: ["-extensions/bylaw.js"] }, "user")).toMatch(/exclude some/);
  expect(pi.switchedOff({ extensions: ["more.ts"], theme: "dark" }, "user")).toBeUndefined();
  expect(pi.switchedOff({ shellCommandPrefix: "x" }, "project")).toMatch(/shellCommandPrefix/);
  expect(pi.switchedOff({ text: "export default () => {}" }, "project")).toMatch(/next to Bylaw/);
  expect(pi.switchedOff({ theme: "dark" }, "project")).toBeUndefined();
});

it("blocks a call in pi's format, and reports the result of a call and the session", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-pi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "bylaw.mjs");
  // A hook that denies with the event itself as the reason.
  const deny = `node -p 'JSON.stringify({ deny: require("fs").readFileSync(0, "utf8") })' | tr -d '\\n'`;
  writeFileSync(file, pi.ownFile?.(join(folder, "bylaw.js"), deny) ?? "");
  const loaded = (await import(pathToFileURL(file).href)) as { default: (pi: object) => void };
  const on = new Map<string, (event: object, context: object) => Promise<unknown>>();
  loaded.default({ on: on.set.bind(on) });
  const call = { toolName: "bash", toolCallId: "c1", input: { command: "ls" } };
  const context = { cwd: "/p", sessionManager: { getSessionId: () => "s1" } };
  const answer = (await on.get("tool_call")?.(call, context)) as { block: true; reason: string };
  expect(answer.block).toBe(true);
  expect(JSON.parse(answer.reason)).toEqual({
    ...{ event: "tool_call", tool: "bash", args: { command: "ls" }, id: "c1" },
    ...{ session: "s1", cwd: "/p" },
  });
  expect(await on.get("tool_result")?.({ ...call, isError: true }, context)).toBeUndefined();
  // Not undefined would change the prompt or the session.
  expect(await on.get("before_agent_start")?.({ prompt: "hi" }, context)).toBeUndefined();
  expect(await on.get("session_start")?.({ reason: "startup" }, context)).toBeUndefined();
  expect(await on.get("session_shutdown")?.({ reason: "quit" }, context)).toBeUndefined();
});
