// Tests `bylaw mcp --listen` in front of a real MCP server, with the real client of the SDK.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { expect, it, onTestFinished } from "vitest";
import { BIN, bylaw, scratch } from "./bylaw.ts";

const FILES = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const TOKEN = "the-door-is-red-and-tall";
const POLICY = `default = "deny"
[[rules]]
name = "reading"
action = "allow"
server = "files"
tool = "read_*"
[[rules]]
name = "writing"
action = "ask_user"
server = "files"
tool = "write_file"
`;

/** Starts the proxy on a free port until the test ends. */
async function listening({
  pins,
  options = [],
}: { readonly pins?: object; readonly options?: readonly string[] } = {}) {
  const cwd = scratch({
    "policy.toml": POLICY,
    "bylaw.config.json": JSON.stringify({
      plugins: [
        { use: "@bylaw/plugin-policy", options: { files: ["policy.toml"], operator: true } },
        // Holds its file while a run is open.
        { use: "@bylaw/plugin-event-log" },
      ],
    }),
    "data/a.txt": "hello",
  });
  const home = join(cwd, "home");
  mkdirSync(join(home, ".bylaw/mcp"), { recursive: true });
  if (pins !== undefined)
    writeFileSync(join(home, ".bylaw/mcp/files.json"), JSON.stringify(pins), { mode: 0o600 });
  const proxy = spawn(
    process.execPath,
    [
      ...[BIN, "mcp", "--name", "files", "--listen", "0", "--listen-bearer", "DOOR"],
      ...options,
      ...["--", process.execPath, FILES, join(cwd, "data")],
    ],
    { cwd, env: { ...process.env, HOME: home, DOOR: TOKEN }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = once(proxy, "exit");
  onTestFinished(async () => {
    proxy.kill("SIGTERM");
    await ended;
  });
  let told = "";
  const url = await new Promise<string>((resolve, reject) => {
    proxy.stderr.on("data", (chunk) => {
      told += String(chunk);
      const [, found] = /Listening on (\S+)/.exec(told) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(told)));
  });
  return { url, cwd, proxy, ended, data: (file: string) => join(cwd, "data", file) };
}

async function clientOf(url: string, approves?: boolean): Promise<Client> {
  const capabilities = approves === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  if (approves !== undefined)
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: "accept",
      content: { approve: approves },
    }));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return client;
}

const call = (client: Client, name: string, args: Readonly<Record<string, unknown>>) =>
  client.callTool({ name, arguments: args });

it("judges the calls of several clients over HTTP", async () => {
  const { url, data } = await listening();
  const [first, second] = await Promise.all([clientOf(url), clientOf(url)]);
  const names = (await first.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("read_text_file");
  expect(names).not.toContain("move_file");
  for (const client of [first, second]) {
    const read = await call(client, "read_text_file", { path: data("a.txt") });
    expect(JSON.stringify(read.content)).toContain("hello");
    const moved = await call(client, "move_file", {
      source: data("a.txt"),
      destination: data("b.txt"),
    });
    expect(moved.isError).toBe(true);
  }
  expect(existsSync(data("b.txt"))).toBe(false);
});

it("asks the person at the client over its stream", async () => {
  const { url, data } = await listening();
  const [yes, no] = await Promise.all([clientOf(url, true), clientOf(url, false)]);
  const refused = await call(no, "write_file", { path: data("no.txt"), content: "x" });
  expect(refused.isError).toBe(true);
  await call(yes, "write_file", { path: data("yes.txt"), content: "x" });
  expect([existsSync(data("no.txt")), existsSync(data("yes.txt"))]).toEqual([false, true]);
});

it("lets nobody in without the token, from a web page, or under another host name", async () => {
  const { url } = await listening();
  const client = await clientOf(url);
  const { sessionId } = client.transport as StreamableHTTPClientTransport;
  const status = (headers: Readonly<Record<string, string>>, body = "{}"): Promise<number> =>
    new Promise((resolve, reject) => {
      const all = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${TOKEN}`,
        ...headers,
      };
      httpRequest(url, { method: "POST", headers: all }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on("error", reject)
        .end(body);
    });
  const own = { "mcp-session-id": sessionId ?? "" };
  const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}';
  expect(await status(own, ping)).toBe(200);
  expect(await status({ ...own, authorization: "" }, ping)).toBe(401);
  expect(await status({ ...own, authorization: `Bearer ${TOKEN}x` }, ping)).toBe(401);
  expect(await status({ ...own, origin: "http://evil.example" }, ping)).toBe(403);
  expect(await status({ ...own, host: "evil.example" }, ping)).toBe(403);
  expect(await status({ "mcp-session-id": "0" }, ping)).toBe(404);
  expect(await status({}, ping)).toBe(400);
  expect(await status(own, '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}')).toBe(400);
});

it.each([
  ["the run of its server", "mcp-files", []],
  [
    "the run of its agent",
    "refunds",
    ["--store", ".bylaw/store.db", "--run", "refunds", "--create"],
  ],
])(
  "records tools that changed or appeared since they were accepted, in %s",
  async (_, run, options) => {
    const { url, cwd, proxy, ended } = await listening({
      pins: { read_text_file: "sha256:0", write_file: "sha256:0" },
      options,
    });
    for (const client of [await clientOf(url), await clientOf(url)]) await client.listTools();
    proxy.kill("SIGTERM");
    await ended;
    const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
    onTestFinished(() => store.close());
    const events = (await store.events(run, 0, 1_000)).filter(
      ({ event_type }) => event_type === "mcp_tool_changed",
    );
    const of = (tool: string) => events.find(({ details }) => details["tool"] === tool)?.details;
    expect(of("read_text_file")).toMatchObject({
      ...{ server: "files", state: "changed", offered: false },
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown,
    });
    expect(of("read_media_file")).toMatchObject({ state: "new", offered: true });
  },
);

it("ends with the servers of its sessions when it is told to", async () => {
  const { url, proxy, ended } = await listening();
  await clientOf(url);
  proxy.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

it("starts only with a long token of its own", () => {
  const cwd = scratch({ "bylaw.config.json": "{}" });
  const start = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    bylaw(["mcp", "--name", "files", ...args, "--", "true"], { cwd, env });
  const at = ["--listen", "0"];
  expect(start(at, {}).code).toBe(2);
  expect(start([...at, "--listen-bearer", "DOOR"], {}).code).toBe(2);
  expect(start([...at, "--listen-bearer", "DOOR"], { DOOR: "short" }).code).toBe(2);
  const shared = start([...at, "--listen-bearer", "DOOR", "--env", "DOOR"], { DOOR: TOKEN });
  expect(shared.code).toBe(2);
});
