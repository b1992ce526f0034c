import { BylawError, isJsonObject, messageOf, type Json } from "@bylaw/kernel";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import { MessageFault, readServerMessage } from "./message.ts";
import { OwnRequests } from "./own-requests.ts";
import { openServer, type McpServer } from "./proxy.ts";
import type { ToolDigests } from "./tool-pins.ts";
import { ToolTable, type ListedTool } from "./tool-table.ts";

/** The tools and instructions that a server offers to a model. */
export interface ServerInspection {
  readonly tools: readonly ListedTool[];
  readonly instructions: Json | undefined;
  /** The digests of everything, to accept with {@link ToolPins.pin}. */
  readonly digests: ToolDigests;
}

const TIMEOUT_MS = 30_000;

/** Starts or contacts a server and reads its tools without pinning them. Throws BYLAW_MCP_SERVER_FAILED. */
export async function inspectServer(server: McpServer, limit: number): Promise<ServerInspection> {
  const digests = new Map<string, string>();
  const requests = new OwnRequests(() => peer);
  const peer = await openServer(server, limit, {
    message(text) {
      const message = messageOrNothing(text);
      if (message?.kind === "response") requests.settle(message);
    },
    tooLong: () => requests.end("It sent a message that is over the limit"),
    slow: () => undefined,
    end: (reason) => requests.end(`It ${reason}`),
  });
  const ask = (method: string, params: Parameters<OwnRequests["ask"]>[1]): Promise<Json> =>
    requests.ask(method, params, { timeout_ms: TIMEOUT_MS });
  const table = new ToolTable({
    fetch: (cursor) => ask("tools/list", cursor === undefined ? {} : { cursor }),
    pins: {
      read: () => new Map(),
      pin: (found) => found.forEach((digest, name) => digests.set(name, digest)),
    },
    acceptedOnly: false,
    notice: () => {},
    changed: () => {},
  });
  try {
    const opened = await ask("initialize", {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: "bylaw", version: "1" },
    });
    peer.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    const given = isJsonObject(opened) ? opened["instructions"] : undefined;
    const instructions = given === undefined ? undefined : table.instructions(given);
    const { tools } = await table.load();
    return { tools: [...tools.values()], instructions, digests };
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_MCP_SERVER_FAILED",
      message: `The MCP server did not list its tools: ${messageOf(cause)}`,
      fix: "Read its messages on standard error",
      cause,
    });
  } finally {
    await peer.close();
  }
}

function messageOrNothing(text: string): ReturnType<typeof readServerMessage> | undefined {
  try {
    return readServerMessage(text);
  } catch (error) {
    if (error instanceof MessageFault) return undefined;
    throw error;
  }
}
