import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, messageOf, type Json } from "@bylaw/kernel";
import { RPC } from "./message.ts";
import type { Peer, PeerEvents } from "./peer.ts";

/** An MCP server that is reached over Streamable HTTP. */
export interface ServerAddress {
  readonly url: URL;
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Connects to a server over Streamable HTTP. A request that cannot be delivered is answered with an error. */
export async function connectServer(
  { url, headers }: ServerAddress,
  limit: number,
  events: PeerEvents,
): Promise<Peer> {
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { ...headers }, redirect: "error" },
    fetch: async (input, init) => bounded(await fetch(input, init), limit, events.tooLong),
  });
  // The id of the initialize request. Its answer names the protocol version, which every later request must send.
  let opening: unknown;
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      const { id, result } = message as { readonly id?: unknown; readonly result?: Json };
      if (id !== undefined && id === opening && isJsonObject(result)) {
        const version = result["protocolVersion"];
        if (typeof version === "string") transport.setProtocolVersion(version);
      }
      events.message(JSON.stringify(message));
    },
    onclose: () => events.end("closed the connection"),
  });
  await transport.start();
  return {
    send(text) {
      const message = JSON.parse(text) as JSONRPCMessage;
      const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
      if (method === "initialize") opening = id;
      // Not awaited: one answer may take long, and other requests must not wait for it.
      void transport.send(message).catch((error: unknown) => {
        if (id === undefined || method === undefined) return;
        const problem = {
          code: RPC.refused,
          message: `The server was not reached: ${messageOf(error)}`,
        };
        events.message(JSON.stringify({ jsonrpc: "2.0", id, error: problem }));
      });
    },
    slow: () => undefined,
    async close() {
      await transport.terminateSession().catch(() => {});
      await transport.close();
    },
  };
}

// The limit applies to a whole body, and to each event of a stream.
function bounded(response: Response, limit: number, tooLong: () => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const events = headers.get("content-type")?.startsWith("text/event-stream") === true;
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // A blank line ends an event.
      const end = events ? Buffer.from(chunk).lastIndexOf("\n\n") : -1;
      size = end < 0 ? size + chunk.length : chunk.length - end;
      if (size <= limit) return controller.enqueue(chunk);
      tooLong();
      controller.error(new Error(`A message has more than ${limit} bytes`));
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}
