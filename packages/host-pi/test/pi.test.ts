import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
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

const context = { cwd: "/p", sessionManager: { getSessionId: () => "s1" } };

type Handlers = Map<string, (event: object, context: object) => Promise<unknown>>;

/** The handlers of the plugin file. `hook` is the command that it runs, and `limit` its time limit in milliseconds. */
async function loadFile(hook: string, limit = 30_000): Promise<Handlers> {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-pi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "bylaw.mjs");
  const text = pi.ownFile?.(join(folder, "bylaw.js"), hook) ?? "";
  writeFileSync(file, text.replace("timeout: 30000", `timeout: ${limit}`));
  const loaded = (await import(pathToFileURL(file).href)) as { default: (pi: object) => void };
  const on: Handlers = new Map();
  loaded.default({ on: on.set.bind(on) });
  return on;
}

it("blocks a call in pi's format, and reports the result of a call and the session", async () => {
  // A hook that denies with the event itself as the reason.
  const deny = `node -p 'JSON.stringify({ deny: require("fs").readFileSync(0, "utf8") })' | tr -d '\\n'`;
  const on = await loadFile(deny);
  const call = { toolName: "bash", toolCallId: "c1", input: { command: "ls" } };
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

it("ends a hook that does not answer in time, with all that it started", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  // The shell stays, because it has another command to run. The connection ends with the process that hangs.
  const hook = `node -e 'require("net").connect(${port}, "127.0.0.1")'; true`;
  const on = await loadFile(hook, 3000);
  const connected = once(server, "connection") as Promise<[Socket]>;
  const call = { toolName: "bash", toolCallId: "c1", input: { command: "ls" } };
  const answer = on.get("tool_call")?.(call, context);
  const [socket] = await connected;
  onTestFinished(() => void socket.destroy());
  const ended = once(socket.on("error", () => undefined).resume(), "close");
  expect(await answer).toEqual({ block: true, reason: "Bylaw did not answer in time." });
  await ended;
});
