import { createHash, randomBytes } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { parseJson } from "@bylaw/config";
import type { Json } from "@bylaw/kernel";
import type { Tool } from "@bylaw/tools";
import { bodyOf } from "./body-of.ts";
import type { ToolOffer } from "./tool-server.ts";

/** An MCP server on the loopback interface. Each agent uses the tools of a run with its own key. */
export interface LocalMcpServer<Context> {
  /** The address for clients, over MCP's streamable HTTP. */
  readonly url: string;
  /** Issues a key for this context. It is valid until `close`. */
  admit(context: Context): { readonly key: string; readonly close: () => void };
  close(): Promise<void>;
}

/** Options of a local server. */
export interface LocalServerOptions<Context> {
  /** Answers JSON posted to `/calls`. Hooks use it, because MCP is too slow for them. Default: 404. */
  readonly answerCall?: (body: unknown, context: Context) => Promise<Json>;
}

const MAX_BODY = 1_048_576;
/** The largest call, in bytes. It may contain a whole file. */
const MAX_CALL = 16 * 1_048_576;
/** The most JSON values in a call. They may take forty times the memory of their text. */
const MAX_VALUES = 20_000;
const PATH = "/mcp";
const CALLS_PATH = "/calls";

/** Starts a local MCP server for tools. Throws the errors of listening. */
export async function startLocalServer<Context extends object>(
  tools: readonly Tool<Context>[],
  options: LocalServerOptions<Context> = {},
): Promise<LocalMcpServer<Context>> {
  // By digest, so that the time of a lookup reveals nothing about a key.
  const admitted = new Map<string, Context>();
  const server = createHttpServer((request, response) => {
    answer({ tools, admitted, ...options }, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // Silent clients must not keep connections open.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // The server alone must not keep the process alive.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    admit(context) {
      const key = randomBytes(32).toString("base64url");
      const digest = digestOf(key);
      admitted.set(digest, context);
      return { key, close: () => void admitted.delete(digest) };
    },
    async close() {
      admitted.clear();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const digestOf = (key: string): string => createHash("sha256").update(key).digest("hex");

interface Served<Context> extends LocalServerOptions<Context> {
  readonly tools: readonly Tool<Context>[];
  readonly admitted: ReadonlyMap<string, Context>;
}

async function answer<Context extends object>(
  { tools, admitted, answerCall }: Served<Context>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url, headers } = request;
  const refuse = (status: number): void =>
    void response.writeHead(status, { connection: "close" }).end();
  // Only browsers send an origin, and no web page may call tools.
  if (headers.origin !== undefined) return refuse(403);
  const forCall = url === CALLS_PATH && answerCall !== undefined;
  if (url !== PATH && !forCall) return refuse(404);
  const [, key = ""] = /^Bearer ([A-Za-z0-9_-]{43})$/i.exec(headers.authorization ?? "") ?? [];
  const digest = digestOf(key);
  const context = admitted.get(digest);
  if (context === undefined) return refuse(401);
  if (method !== "POST") return refuse(405);
  const body = await bodyOf(request, forCall ? MAX_CALL : MAX_BODY);
  if (body === undefined) return refuse(413);
  let message: unknown;
  try {
    message = parseJson(body, { values: MAX_VALUES });
  } catch {
    return refuse(400);
  }
  // The key may have been closed while the body arrived.
  if (!admitted.has(digest)) return refuse(401);
  if (forCall) {
    const answered = await answerCall(message, context);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answered));
    return;
  }
  // Loaded on demand, because it is large and most runs do not need it.
  const [{ StreamableHTTPServerTransport }, { createServer, sourceOf }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
    import("./tool-server.ts"),
  ]);
  const offer: ToolOffer<Context> = {
    tools,
    context: (signal) => {
      // The key may have been closed while the call waited.
      if (!admitted.has(digest)) throw new Error("The key is no longer valid");
      return { ...context, signal };
    },
  };
  const server = createServer(sourceOf(offer));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => void server.close());
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, message);
}
