// Tests `bylaw mcp` in front of a real MCP server, with a real client.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { readCases } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { bylaw, scratch } from "./bylaw.ts";
import { FILES, connect } from "./mcp-proxy-kit.ts";

const PAGE = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(PAGE)?.[1] ?? "";

it("works as docs/mcp.md shows, next to the recommended ruleset", async () => {
  const { mcpServers } = JSON.parse(blockOf("json")) as {
    mcpServers: { files: { command: string; args: readonly string[] } };
  };
  const { command, args } = mcpServers.files;
  const [proxy, server] = [args.slice(0, args.indexOf("--")), args.slice(args.indexOf("--") + 1)];
  expect([command, ...proxy]).toEqual(["npx", "bylaw", "mcp", "--name", "files"]);
  expect(server.slice(0, 3)).toEqual(["npx", "-y", "@modelcontextprotocol/server-filesystem"]);
  const { call, cwd } = await connect({
    server: [process.execPath, FILES, ...server.slice(3)],
    files: {
      "policy.toml": blockOf("toml"),
      "bylaw.config.json": JSON.stringify({
        extends: ["@bylaw/ruleset-recommended"],
        plugins: [
          { use: "@bylaw/plugin-policy", options: { files: ["policy.toml"], operator: true } },
        ],
      }),
    },
  });
  expect(await call("read_text_file", { path: join(cwd, "data/a.txt") })).toBe("hello");
  expect(await call("read_text_file", { path: join(cwd, "data/.env") })).toMatch(/^refused/);
  const written = await call("write_file", { path: join(cwd, "b.txt"), content: "" });
  expect(written).toMatch(/^refused: .*`ask-mcp`.* `bylaw approve yes/);
});

describe("in front of the filesystem server", () => {
  it("hides tools that no call could use, allows, and denies with a reason", async () => {
    const { client, call, data } = await connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["read_text_file", "write_file"]));
    expect(names).not.toContain("move_file");
    expect(names).not.toContain("create_directory");
    expect(await call("read_text_file", { path: join(data, "a.txt") })).toBe("hello");
    const denied = await call("read_text_file", { path: join(data, ".env") });
    expect(denied).toMatch(/^refused: .*`secrets`/);
    const moved = { source: join(data, "a.txt"), destination: join(data, "b.txt") };
    expect(await call("move_file", moved)).toMatch(/^refused: .*`never-moves`/);
    expect(existsSync(join(data, "a.txt"))).toBe(true);
  });

  it("asks in the client: a yes runs the call once, a no does not", async () => {
    const yes = { action: "accept", content: { approve: true } };
    const { call, data, asked, cwd } = await connect({ says: yes });
    const path = join(data, "new.txt");
    expect(await call("write_file", { path, content: "one" })).toMatch(/^Successfully/);
    expect(readFileSync(path, "utf8")).toBe("one");
    expect(await call("write_file", { path, content: "one" })).toMatch(/^Successfully/);
    expect(asked).toHaveLength(2);
    const log = bylaw("log tail --store .bylaw/store.db --run mcp-files --json", { cwd });
    const types = [...log.stdout.matchAll(/"event_type":"(\w+)"/g)].map(([, type]) => type);
    expect(types.filter((type) => type !== "session_start")).toEqual([
      ...["tool_asked", "approval_granted", "tool_allowed"],
      ...["tool_asked", "approval_granted", "tool_allowed"],
    ]);
    const no = await connect({ says: { action: "decline" } });
    const other = join(no.data, "new.txt");
    expect(await no.call("write_file", { path: other, content: "x" })).toMatch(/^refused/);
    expect(existsSync(other)).toBe(false);
  });

  it("denies with the id of an approval if the client or its user may not answer", async () => {
    const { call, data, cwd } = await connect();
    const path = join(data, "new.txt");
    const refused = await call("write_file", { path, content: "x" });
    const [, id = ""] = /`bylaw approve yes ([0-9a-f]{16}) /.exec(refused) ?? [];
    const listed = bylaw("approve list --store .bylaw/store.db --run mcp-files", { cwd });
    expect(listed.stdout).toContain(id);
    expect(existsSync(path)).toBe(false);

    const yes = { action: "accept", content: { approve: true } };
    const operators = '{"operators":[{"name":"ada","token":"sha256:' + "0".repeat(64) + '"}]}';
    const held = await connect({ says: yes, files: { ".bylaw/operators.json": operators } });
    const other = join(held.data, "new.txt");
    expect(await held.call("write_file", { path: other, content: "x" })).toContain("bylaw approve");
    expect(held.asked).toEqual([]);
    expect(existsSync(other)).toBe(false);
  });

  it("runs a call once that a person approved elsewhere", async () => {
    const token = "t".repeat(40);
    const { createHash } = await import("node:crypto");
    const digest = createHash("sha256").update(token).digest("hex");
    const { call, data, cwd } = await connect({
      files: {
        ".bylaw/operators.json": JSON.stringify({
          operators: [{ name: "ada", token: `sha256:${digest}` }],
        }),
      },
    });
    const path = join(data, "new.txt");
    const [, line = ""] =
      /`bylaw (approve yes .*) --by NAME`/.exec(await call("write_file", { path, content: "x" })) ??
      [];
    const answered = bylaw(line, { cwd, env: { BYLAW_OPERATOR_TOKEN: token } });
    expect(answered.code).toBe(0);
    expect(await call("write_file", { path, content: "other" })).toMatch(/^refused/);
    expect(await call("write_file", { path, content: "x" })).toMatch(/^Successfully/);
    expect(await call("write_file", { path, content: "x" })).toMatch(/^refused/);
  });

  it("offers and runs no tool that nobody accepted, with `--accepted-only`", async () => {
    const { client, call, data } = await connect({ options: ["--accepted-only"] });
    expect((await client.listTools()).tools).toEqual([]);
    expect(await call("read_text_file", { path: join(data, "a.txt") })).toMatch(
      /^refused: .*no person accepted it/,
    );
  });

  it("passes on no message that is longer than `--max-chars`", async () => {
    const { call, data } = await connect({
      options: ["--max-chars", "20000"],
      files: { "data/long.txt": "x".repeat(20_000) },
    });
    expect(await call("read_text_file", { path: join(data, "a.txt") })).toBe("hello");
    await expect(call("read_text_file", { path: join(data, "long.txt") })).rejects.toThrow(
      /characters; the limit is 20000$/,
    );
  });

  it("cannot be bypassed by names of resources and prompts", async () => {
    const { client, data } = await connect();
    const refused = [
      `file://${data}/.env`,
      `file://${data}/x/../.env`,
      `file://${data}/%2eenv`,
      `FILE://${data}/.ENV`,
      `file:///etc/passwd`,
      `${data}/.env`,
    ];
    for (const uri of refused)
      await expect(client.readResource({ uri }), uri).rejects.toThrow(/Bylaw|secrets|Cannot tell/i);
    const args = { file: join(data, ".env") };
    await expect(client.getPrompt({ name: "review", arguments: args })).rejects.toThrow("secrets");
    // The error comes from the server, which has no such method.
    await expect(client.readResource({ uri: `file://${data}/a.txt` })).rejects.toThrow("-32601");
  });

  it("gets no variable unless it is passed on, and puts no stray text into its client's stream", async () => {
    const server = [
      process.execPath,
      "-e",
      'console.error("ENV " + ["SECRET", "GIVEN", "HOME"].map((k) => process.env[k] !== undefined)); process.exit(4)',
    ];
    const cwd = scratch({ "bylaw.config.json": '{"plugins":[]}' });
    const ran = bylaw(["mcp", "--name", "x", "--env", "GIVEN", "--", ...server], {
      cwd,
      env: { SECRET: "1", GIVEN: "1", HOME: cwd },
    });
    expect(ran.stdout).toBe("");
    // It may see the end of its input first.
    expect([0, 1]).toContain(ran.code);
    expect(ran.stderr).toContain("ENV false,true,true");
  });
});

it("a proxy over Streamable HTTP judges the calls of a remote server, and sends it the token from a variable", async () => {
  const seen: unknown[] = [];
  const ran: string[] = [];
  const server = new Server(
    { name: "remote", version: "1" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ["read_note", "delete_note"].map((name) => ({
      name,
      inputSchema: { type: "object" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    ran.push(params.name);
    await server.sendToolListChanged();
    return { content: [{ type: "text" as const, text: "done" }] };
  });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "s1" });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  const http = createServer((request, response) => {
    seen.push(request.headers.authorization);
    void transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await server.close();
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const { client, call } = await connect({
    server: [],
    options: ["--url", url, "--bearer", "TOKEN"],
    env: { TOKEN: "abc" },
  });
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_note"]);
  expect(await call("read_note", {})).toBe("done");
  await changed;
  expect(await call("delete_note", {})).toMatch(/^refused/);
  expect(ran).toEqual(["read_note"]);
  expect(new Set(seen)).toEqual(new Set(["Bearer abc"]));
});

describe("the command", () => {
  it.each(readCases<[string[], string]>(import.meta, "wrong-arguments"))(
    "reports what is wrong with %j",
    (args, message) => {
      const cwd = scratch({ "bylaw.config.json": '{"plugins":[]}' });
      const ran = bylaw(["mcp", ...args], { cwd, env: { HOME: cwd } });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(message);
      expect(ran.stdout).toBe("");
    },
  );

  it("accepts changed tools if a person has a token", async () => {
    const token = "t".repeat(40);
    const { createHash } = await import("node:crypto");
    const digest = createHash("sha256").update(token).digest("hex");
    const files = {
      ".bylaw/operators.json": JSON.stringify({
        operators: [{ name: "ada", token: `sha256:${digest}` }],
      }),
    };
    const { client, cwd, home, call, data } = await connect({ files });
    await client.listTools();
    const pins = join(home, ".bylaw/mcp/files.json");
    const pinned = JSON.parse(readFileSync(pins, "utf8")) as Record<string, string>;
    writeFileSync(pins, JSON.stringify({ ...pinned, read_text_file: "sha256:0" }));
    await client.close();
    const server = ["--name", "files", "--", process.execPath, FILES, data];
    const args = ["mcp", "--accept-tools", ...server];
    expect(bylaw(args, { cwd, env: { HOME: home } }).code).toBe(2);
    const accepted = bylaw(args, { cwd, env: { HOME: home, BYLAW_OPERATOR_TOKEN: token } });
    expect(accepted.stderr).toContain("read_text_file: changed");
    expect(accepted.stdout).toMatch(/^Accepted \d+ definitions of `files`\n$/);
    expect(JSON.parse(readFileSync(pins, "utf8"))).toEqual(pinned);
    expect(call).toBeDefined();
  });
});
