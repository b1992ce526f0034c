import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { bylawHere, json, scratch, workplace } from "./bylaw.ts";
import { connectMcp } from "./mcp.ts";

const TOKEN = "the token of ada, which is long enough";
const token = `sha256:${createHash("sha256").update(TOKEN).digest("hex")}`;
const OPERATORS = JSON.stringify({ operators: [{ name: "ada", token }] });
const UPDATE = ["constitution", "update", "--rule", "Be kind.", "--json"];

it("`--create` begins the run that an agent reports to, and without it none begins", async () => {
  const { cwd, run } = workplace();
  const named = "--store .bylaw/store.db --run refunds --agent ann".split(" ");
  const before = await run(["mcp", ...named]);
  expect(before).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("BYLAW_STORE_UNUSABLE"),
  });
  const client = await connectMcp([...named, "--create"], cwd);
  const answer = await client.callTool({
    name: "report_behavior",
    arguments: { action: "checkpoint", reason: "look at it" },
  });
  expect(answer.isError).not.toBe(true);
  await client.close();
  expect(json(await run("log runs --json"))).toMatchObject({ run: "refunds" });
  expect((await run("mcp --store .bylaw/store.db --run refnds --agent ann")).stderr).toMatch(
    /BYLAW_RUN_MISSING[\s\S]*Did you mean `refunds`.*`--create`/,
  );
});

it("`--oversight` is the service that a `vibecheck` of the agent asks", async () => {
  const asked: unknown[] = [];
  const verdict = { risk: 0.1, advice: "Read the invoice first" };
  const service = createServer(async (request, response) => {
    asked.push(await readJson(request));
    response.end(JSON.stringify({ ...verdict, traits: [], uncertainties: [] }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void service.close());
  await once(service, "listening");
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const named = "--store .bylaw/store.db --run refunds --agent ann --create --oversight".split(" ");
  const client = await connectMcp([...named, url], workplace().cwd);
  const request = { action: "vibecheck", reason: "unsure of the sum" };
  const answer = await client.callTool({ name: "report_behavior", arguments: request });
  expect(answer.structuredContent).toMatchObject({ oversight: verdict });
  expect(asked).toMatchObject([{ agent: "ann", uncertainties: ["unsure of the sum"] }]);
});

it("`--create` begins a run with an operator's rule, and only a person may", async () => {
  const cwd = scratch({ ".bylaw/operators.json": OPERATORS });
  const update = [...UPDATE, "--run", "refunds"];
  const env = { BYLAW_OPERATOR_TOKEN: TOKEN };
  expect(json(await bylawHere([...update, "--create"], { cwd }))).toMatchObject({
    error: { code: "BYLAW_APPROVAL_UNAUTHORIZED" },
  });
  expect(json(await bylawHere(update, { cwd, env }))).toMatchObject({
    error: { code: "BYLAW_STORE_UNUSABLE" },
  });
  expect(json(await bylawHere([...update, "--create"], { cwd, env }))).toMatchObject({
    rules: [{ rule: "Be kind.", by: "ada" }],
  });
  expect((await bylawHere([...update, "--create"], { cwd, env })).code).toBe(0);
  const run = { BYLAW_RUN: "w", BYLAW_MCP_URL: "http://127.0.0.1:1", BYLAW_MCP_KEY: "k" };
  expect((await bylawHere("mcp --create", { cwd, env: run })).stderr).toContain(
    "BYLAW_MCP_FOREIGN",
  );
});
