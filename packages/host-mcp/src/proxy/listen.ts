import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type Json } from "@bylaw/kernel";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { bodyOf } from "../body-of.ts";
import type { ProxyClient } from "./proxy.ts";

/** How a proxy is offered over Streamable HTTP. */
export interface ListenOptions {
  /** The port on the loopback interface. 0: any free one. */
  readonly port: number;
  /** The token that every request must bear. */
  readonly token: string;
  /** The longest message, in bytes. */
  readonly limit: number;
  /** Runs a proxy for the client of one session, until one side ends. */
  readonly serve: (client: ProxyClient) => Promise<string | undefined>;
  readonly notice: (text: string) => void;
}

/** A proxy that clients reach over Streamable HTTP. */
export interface ListeningProxy {
  readonly url: string;
  /** Ends every session. */
  readonly close: () => Promise<void>;
}

const PATH = "/mcp";
/** The most JSON values in a message. They may take forty times the memory of their text. */
const MAX_VALUES = 200_000;
/** Each session has a server of its own. Beyond these the one that was silent for longest is closed, because clients vanish. */
const MAX_SESSIONS = 32;

/** Listens on the loopback interface. Each session of a client gets a server of its own. Throws BYLAW_MCP_LISTEN_FAILED. */
export async function listenProxy(options: ListenOptions): Promise<ListeningProxy> {
  const sessions = new Sessions(options);
  const server = createServer((request, response) => {
    sessions.answer(request, response).catch((error: unknown) => {
      options.notice(`A request failed: ${messageOf(error)}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // Silent clients must not keep connections open.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(options.port, "127.0.0.1", resolve);
    });
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_MCP_LISTEN_FAILED",
      message: `Cannot listen on port ${options.port}: ${messageOf(cause)}`,
      fix: "Choose another port with `--listen`",
      cause,
    });
  }
  const { port } = server.address() as AddressInfo;
  sessions.hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    async close() {
      await sessions.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  readonly ended: Promise<void>;
}

class Sessions {
  /** The names under which this machine reaches the server. Other names are DNS rebinding. */
  hosts: string[] = [];
  readonly #options: ListenOptions;
  readonly #token: Buffer;
  readonly #open = new Map<string, Session>();
  readonly #all = new Set<Session>();

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#token = digestOf(options.token);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const refuse = (status: number): void =>
      void response.writeHead(status, { connection: "close" }).end();
    // Only browsers send an origin, and no web page may call tools.
    if (headers.origin !== undefined || !this.hosts.includes(headers.host ?? ""))
      return refuse(403);
    const [, token = ""] = /^Bearer (.+)$/i.exec(headers.authorization ?? "") ?? [];
    if (!timingSafeEqual(digestOf(token), this.#token)) return refuse(401);
    if (url !== PATH) return refuse(404);
    const id = headers["mcp-session-id"];
    const session = typeof id === "string" ? this.#open.get(id) : undefined;
    // A client begins a new session when it is told that its own is unknown.
    if (id !== undefined && session === undefined) return refuse(404);
    if (method !== "POST")
      return session === undefined
        ? refuse(405)
        : session.transport.handleRequest(request, response);
    const text = await bodyOf(request, this.#options.limit);
    if (text === undefined) return refuse(413);
    let body: Json;
    try {
      body = parseJson(text, { values: MAX_VALUES });
    } catch {
      return refuse(400);
    }
    const opens = isJsonObject(body) && body["method"] === "initialize";
    if (session === undefined && !opens) return refuse(400);
    const current = session ?? (await this.#begin());
    this.#all.delete(current);
    this.#all.add(current);
    await current.transport.handleRequest(request, response, body);
  }

  async close(): Promise<void> {
    const all = [...this.#all];
    await Promise.all(all.map(({ transport }) => transport.close()));
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #begin(): Promise<Session> {
    const [silent] = this.#all;
    if (silent !== undefined && this.#all.size >= MAX_SESSIONS) await silent.transport.close();
    const input = new PassThrough();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#open.set(id, session),
      enableDnsRebindingProtection: true,
      allowedHosts: this.hosts,
    });
    Object.assign(transport, {
      onmessage: (message: JSONRPCMessage) => void input.write(`${JSON.stringify(message)}\n`),
      onclose: () => void input.end(),
    });
    await transport.start();
    const session: Session = {
      transport,
      ended: this.#serve({ input, write: (text) => sent(transport, text) }).then(async () => {
        this.#all.delete(session);
        this.#open.delete(transport.sessionId ?? "");
        await transport.close();
      }),
    };
    this.#all.add(session);
    return session;
  }

  async #serve(client: ProxyClient): Promise<void> {
    const { serve, notice } = this.#options;
    try {
      const reason = await serve(client);
      if (reason !== undefined) notice(`The server ${reason}`);
    } catch (error) {
      notice(messageOf(error));
    }
  }
}

// A client that has gone reads no more answers.
const sent = (transport: StreamableHTTPServerTransport, text: string): Promise<void> =>
  transport.send(JSON.parse(text) as JSONRPCMessage).catch(() => {});

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
