import { McpProxy, type ProxyOptions } from "./mcp-proxy.ts";
import { readMessages, type Peer, type PeerEvents, type TextInput } from "./peer.ts";
import { startServer, type ServerProgram } from "./child-server.ts";
import type { ServerAddress } from "./http-server.ts";

/** An MCP server: a program to start, or an address. */
export type McpServer = ServerProgram | ServerAddress;

/** The streams of a proxy's client. */
export interface ProxyClient {
  readonly input: TextInput;
  /** Writes text. Returns a promise if the reader is slow. */
  readonly write: (text: string) => Promise<void> | undefined;
}

// A server's message longer than this many limits ends the server.
const HEADROOM = 4;

/**
 * Runs a proxy between a client and a server until one of them ends. Resolves to undefined if the client ended, and to the reason if the
 * server did. Throws BYLAW_MCP_SERVER_FAILED if the server cannot be started.
 */
export async function runProxy(
  client: ProxyClient,
  server: McpServer,
  options: ProxyOptions,
): Promise<string | undefined> {
  const proxy = new McpProxy(options);
  const ended = Promise.withResolvers<string | undefined>();
  let full: Promise<void> | undefined;
  const downstream: Peer = {
    send(text) {
      full = client.write(`${text}\n`);
    },
    slow: () => full,
    close: async () => {},
  };
  const upstream = await openServer(server, options.limit * HEADROOM, {
    message: (text) => proxy.fromServer(text),
    tooLong: () => ended.resolve("was ended: it sent a message that is far over the limit"),
    slow: () => downstream.slow(),
    end: (reason) => ended.resolve(reason),
  });
  proxy.connect(downstream, upstream);
  client.input.once("end", () => ended.resolve(undefined));
  readMessages(client.input, options.limit, {
    message: (text) => proxy.fromClient(text),
    tooLong: () => proxy.tooLong(),
    slow: () => upstream.slow(),
  });
  const reason = await ended.promise;
  if (reason !== undefined) proxy.serverEnded(reason);
  await upstream.close();
  return reason;
}

export async function openServer(
  server: McpServer,
  limit: number,
  events: PeerEvents,
): Promise<Peer> {
  if ("command" in server) return await startServer(server, limit, events);
  // Loaded on demand: it is large, and most servers are programs.
  const { connectServer } = await import("./http-server.ts");
  return await connectServer(server, limit, events);
}
