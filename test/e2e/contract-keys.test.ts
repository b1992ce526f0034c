import { readFileSync } from "node:fs";
import { readCases } from "@bylaw/testing";
import { afterAll, expect, it } from "vitest";

import { type LogEvent } from "@bylaw/sdk";
import { endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { SHIPPED } from "./workflow-walk-kit.ts";

afterAll(endServers);

const withKeys = (...edits: readonly (readonly [string, string])[]): string =>
  edits.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, SHIPPED);

async function serve(contract: string, settings: Readonly<Record<string, unknown>> = {}) {
  const site = makeSite(["t1"], contract);
  const server = await startServer(site, settings, [{ id: "t1" }]);
  const ann = server.client("ann");
  await ann.claimTask({ task_id: "t1" });
  return { site, server, ann };
}

it.each(readCases<[string, [string, string], string]>(import.meta, "unmet-keys"))(
  "%s: the server refuses to start because it cannot honour it",
  async (_, edit, code) => {
    await expect(serve(withKeys(edit))).rejects.toThrow(code);
  },
);

it("phase_tokens.enabled: false is refused by a server, which knows agents by their tokens", async () => {
  const contract = withKeys(
    ["phase_tokens:\n    enabled: true", "phase_tokens:\n    enabled: false"],
    ["requires_token: true", "requires_token: false"],
  ).replaceAll("requires_token: true", "requires_token: false");
  await expect(serve(contract)).rejects.toThrow(/BYLAW_SERVICE_UNFIT.*phase_tokens\.enabled/);
});

it.each(["^1", "0.9 || >=1 <1.x.x || ~1.0"])(
  "agent_sdk.version: %s accepts this server",
  async (version) => {
    const { server } = await serve(withKeys(['version: ">=1.0.0"', `version: "${version}"`]));
    expect(await server.stop()).toBe(0);
  },
);

it("tool_enforcement.enabled: false allows a tool that the phase and its token lack", async () => {
  const { ann } = await serve(
    withKeys(["tool_enforcement:\n    enabled: true", "tool_enforcement:\n    enabled: false"]),
    { policy: [] },
  );
  const checked = await ann.checkTool("bash", { command: "ls" });
  expect(checked.code).not.toMatch(/^(token|phase)_/);
});

it("violation_action: log allows it and records what the decision would have been", async () => {
  const { ann } = await serve(withKeys(['violation_action: "reject"', 'violation_action: "log"']));
  const { decision, warnings } = await ann.useTool("bash", { command: "ls" });
  expect([decision.effect, warnings]).toEqual(["allow", []]);
  expect(JSON.stringify(decision["votes"])).toContain("token_tool");
});

it("audit_log is a file next to the contract with every tool call, and no other file has them", async () => {
  const { site, server, ann } = await serve(SHIPPED);
  await ann.readFile("src/index.js");
  await expect(ann.runCommand("ls")).rejects.toThrow();
  await server.stop();
  const lines = readFileSync(site.path(".orchestrator/tool_audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ event, tool, ok }) => [event, tool, ok])).toEqual([
    ["tool_allowed", "read_files", undefined],
    ["tool_result", "read_files", true],
    ["tool_denied", "bash", undefined],
  ]);
  expect(lines[2]).toMatchObject({ agent: "ann", task: "t1", code: expect.any(String) });
});

it("event_bus.events selects the kinds of events that agents can watch", async () => {
  const all = SHIPPED.slice(SHIPPED.indexOf("    events:\n"));
  const list = all.slice(0, all.indexOf("\n\n"));
  const { ann } = await serve(withKeys([list, '    events: ["task_started"]']));
  await ann.readFile("src/index.js");
  const seen: LogEvent[] = [];
  for await (const event of ann.events()) {
    seen.push(event);
    if (event.event_type === "tool_result") break;
  }
  const types = seen.map(({ event_type }) => event_type);
  expect(types).toContain("task_claimed");
  expect(types).toContain("tool_allowed");
  expect(types).not.toContain("phase_entered");
});

it("at its start the server lists the settings of the contract that it ignores: tools, port and store", async () => {
  const { server, ann } = await serve(SHIPPED.replace("localhost:8000", "localhost:8123"), {
    port: await freePort(),
  });
  const told = server.errors();
  expect(told).toContain("`web_fetch` of `PLAN` is missing: name its hosts in `tools.web_hosts`");
  expect(told).toContain("agent_sdk.endpoint");
  expect(told).toContain("8123");
  expect(told).toContain("event_bus.db_path");
  expect((await ann.contract())["endpoint"]).toBe("http://localhost:8123/api/v1");
  const other = await serve(SHIPPED, { tools: { web_hosts: ["example.org"] } });
  expect(other.server.errors()).not.toContain("web_fetch");
});

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { readonly port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
