import { BylawError } from "@bylaw/kernel";
import { defineTool, type CallContext, type Tool } from "@bylaw/tools";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { callRemoteTool, startLocalServer } from "../src/index.ts";

const tools: readonly Tool<CallContext>[] = [
  defineTool({
    name: "who",
    description: "Says who calls.",
    input: z.object({ loud: z.boolean().optional() }),
    annotations: { readOnlyHint: true },
    run: ({ loud }, { agent }: CallContext) => ({
      agent: loud === true ? agent.toUpperCase() : agent,
    }),
  }),
  defineTool({
    name: "break",
    description: "Fails.",
    input: z.object({ how: z.string() }),
    run: ({ how }) => {
      throw how === "ours"
        ? new BylawError({ code: "BYLAW_SAID", message: "Unexpected it", fix: "do not" })
        : new Error("/secret/path");
    },
  }),
];

async function opened() {
  const server = await startLocalServer(tools);
  onTestFinished(() => server.close());
  return server;
}

async function clientOf(url: string, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return client;
}

describe("a local server", () => {
  it("offers its tools to a client, and runs each call as the owner of the key", async () => {
    const server = await opened();
    const [ann, bob] = [server.admit({ agent: "ann" }), server.admit({ agent: "bob" })];
    const client = await clientOf(server.url, ann.key);
    const { tools: listed } = await client.listTools();
    expect(
      listed.map(({ name, annotations, inputSchema }) => [
        name,
        annotations?.readOnlyHint,
        inputSchema["additionalProperties"],
      ]),
    ).toEqual([
      ["who", true, false],
      ["break", undefined, false],
    ]);
    expect(
      (await client.callTool({ name: "who", arguments: { loud: true } })).structuredContent,
    ).toEqual({ agent: "ANN" });
    expect(await callRemoteTool({ url: server.url, key: bob.key }, "who", {})).toEqual({
      error: false,
      answer: { agent: "bob" },
    });
  });

  it("answers with the code and fix of a Bylaw error, and reveals nothing of other errors", async () => {
    const server = await opened();
    const at = { url: server.url, key: server.admit({ agent: "ann" }).key };
    expect(await callRemoteTool(at, "break", { how: "ours" })).toEqual({
      error: true,
      answer: { code: "BYLAW_SAID", message: "Unexpected it", fix: "do not" },
    });
    const other = await callRemoteTool(at, "break", { how: "other" });
    expect(JSON.stringify(other)).not.toContain("secret");
    expect(other.error).toBe(true);
    expect(await callRemoteTool(at, "who", { agent: "bob" })).toMatchObject({
      error: true,
      answer: { code: "BYLAW_TOOL_ARGUMENTS_INVALID" },
    });
    await expect(callRemoteTool(at, "nothing", {})).rejects.toThrow(/The tools are who, break/);
  });

  it("refuses clients without a key, or with a wrong or closed one", async () => {
    const server = await opened();
    const { key, close } = server.admit({ agent: "ann" });
    const post = async (headers: Readonly<Record<string, string>>, body = "{}", url = server.url) =>
      (
        await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body,
        })
      ).status;
    const mine = { authorization: `Bearer ${key}` };
    expect(await post({})).toBe(401);
    expect(await post({ authorization: `Bearer ${"A".repeat(43)}` })).toBe(401);
    expect(await post({ ...mine, origin: "http://127.0.0.1" })).toBe(403);
    expect(await post(mine, '{"a":1,"a":2}')).toBe(400);
    expect(await post(mine, `[${"0,".repeat(20_000)}0]`)).toBe(400);
    expect(await post(mine, "{}", server.url.replace("/mcp", "/"))).toBe(404);
    expect((await fetch(server.url, { headers: mine })).status).toBe(405);
    const client = await clientOf(server.url, key);
    close();
    await expect(client.callTool({ name: "who", arguments: {} })).rejects.toThrow();
    expect(await post(mine)).toBe(401);
  });

  it("refuses requests that are too large", async () => {
    const server = await opened();
    const { key } = server.admit({ agent: "ann" });
    const sent = fetch(server.url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: "x".repeat(2_000_000),
    });
    expect(
      await sent.then(
        ({ status }) => status,
        () => "cut off",
      ),
    ).toSatisfy((what) => what === 413 || what === "cut off");
  });
});
