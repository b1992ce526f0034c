import { Writable } from "node:stream";
import type { JsonObject } from "@bylaw/kernel";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { createServer, sourceOf, type ToolOffer, type ToolSource } from "./tool-server.ts";

/** How a server writes to its client; what it returns is awaited. Default: the standard output. */
export interface StdioOptions {
  readonly write?: (text: string) => unknown;
}

/** Serves tools on the standard input and output of this process, until the client has gone. */
export const serveStdio = <Context>(offer: ToolOffer<Context>, options: StdioOptions = {}): Promise<void> =>
  serve(sourceOf(offer), options);

/** A door of a run, as an agent is told of it. */
export interface DoorKey {
  readonly url: string;
  readonly key: string;
}

/** Serves what stands behind a door on the standard input and output, until the client has gone. Throws where the door does not open. */
export async function bridgeStdio(door: DoorKey, options: StdioOptions = {}): Promise<void> {
  const client = await through(door);
  const source: ToolSource = {
    list: () => client.listTools(),
    call: async (name, args, signal) => (await client.callTool({ name, arguments: { ...args } }, undefined, { signal })) as CallToolResult,
  };
  try {
    await serve(source, options);
  } finally {
    await client.close();
  }
}

/** Calls one tool behind a door. Throws where the door does not open; `error` where the tool refused. */
export async function callThrough(
  door: DoorKey,
  name: string,
  args: JsonObject,
): Promise<{ readonly error: boolean; readonly answer: unknown }> {
  const client = await through(door);
  try {
    const { isError, structuredContent } = await client.callTool({ name, arguments: { ...args } });
    return { error: isError === true, answer: structuredContent };
  } finally {
    await client.close();
  }
}

async function through({ url, key }: DoorKey): Promise<Client> {
  const client = new Client({ name: "bylaw", version: "1" });
  // Typed as if every property were there, which the protocol's own transport leaves undefined.
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${key}` } } });
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
  // The transport does not look for the end of its input.
  const gone = new Promise<void>((resolve) => process.stdin.once("end", resolve));
  await server.connect(new StdioServerTransport(process.stdin, output));
  await gone;
  await server.close();
}
