import { Writable } from "node:stream";
import type { JsonObject } from "@bylaw/kernel";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { createServer, sourceOf, type ToolOffer, type ToolSource } from "./tool-server.ts";

/** Writes text to the client. The result is awaited. Default: standard output. */
export interface StdioOptions {
  readonly write?: (text: string) => unknown;
}

/** Serves tools on standard input and output until the client disconnects. */
export const serveStdio = <Context>(
  offer: ToolOffer<Context>,
  options: StdioOptions = {},
): Promise<void> => serve(sourceOf(offer), options);

/** The address and key of an agent for the local MCP server of its run. */
export interface McpAccess {
  readonly url: string;
  readonly key: string;
}

/** Connects standard input and output to a local MCP server until the client disconnects. Throws if the server cannot be reached. */
export async function bridgeStdio(access: McpAccess, options: StdioOptions = {}): Promise<void> {
  const client = await connect(access);
  const source: ToolSource = {
    list: () => client.listTools(),
    call: async (name, args, signal) =>
      (await client.callTool({ name, arguments: { ...args } }, undefined, {
        signal,
      })) as CallToolResult,
  };
  try {
    await serve(source, options);
  } finally {
    await client.close();
  }
}

/** Calls one tool of a local MCP server. `error` is set if the tool refused. Throws if the server cannot be reached. */
export async function callRemoteTool(
  access: McpAccess,
  name: string,
  args: JsonObject,
): Promise<{ readonly error: boolean; readonly answer: unknown }> {
  const client = await connect(access);
  try {
    const { isError, structuredContent } = await client.callTool({ name, arguments: { ...args } });
    return { error: isError === true, answer: structuredContent };
  } finally {
    await client.close();
  }
}

async function connect({ url, key }: McpAccess): Promise<Client> {
  const client = new Client({ name: "bylaw", version: "1" });
  // The SDK's types do not allow undefined properties here.
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

async function serve(source: ToolSource, { write }: StdioOptions): Promise<void> {
  const server = createServer(source);
  const output =
    write === undefined
      ? process.stdout
      : new Writable({
          decodeStrings: false,
          write: (text: string, _, done) => {
            Promise.resolve(write(text)).then(() => done(), done);
          },
        });
  // The transport does not notice the end of its input.
  const gone = new Promise<void>((resolve) => process.stdin.once("end", resolve));
  await server.connect(new StdioServerTransport(process.stdin, output));
  await gone;
  await server.close();
}
