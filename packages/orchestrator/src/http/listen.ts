import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { BylawError, messageOf } from "@bylaw/kernel";
import { getRequestListener } from "@hono/node-server";
import type { Settings } from "../config/settings.ts";
import type { App } from "./app-env.ts";
import { RequestQueue } from "./request-queue.ts";

/** How often a closing server looks for idle connections, in milliseconds. */
const IDLE_MS = 20;
/** How many milliseconds requests that are cut off have to answer. */
const LAST_MS = 500;

async function endsWithin(closed: Promise<void>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([closed.then(() => true), late]);
  } finally {
    timer.abort();
  }
}

/** The most bytes in the head of a request. Our clients send fewer. */
const HEAD_BYTES = 160_000;

export interface HttpServer {
  /** The URL of the server: scheme, host and port. */
  readonly url: string;
  /** Accepts no new connection, lets requests end within the grace, then calls `over` and cuts off the rest. */
  close(grace_ms: number, over: () => void): Promise<void>;
}

/**
 * Starts listening. Throws BYLAW_SERVICE_UNREACHABLE if the address cannot be used, and BYLAW_SETTINGS_INVALID for unusable certificates.
 */
export async function listen(app: App, { host, port, tls, limits }: Settings): Promise<HttpServer> {
  const answer = getRequestListener(app.fetch, { hostname: host });
  const queue = new RequestQueue();
  const handler = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (incoming.method === "GET") void answer(incoming, outgoing);
    else queue.add(() => void answer(incoming, outgoing));
  };
  const options = {
    headersTimeout: limits.headers_ms,
    requestTimeout: limits.request_ms,
    keepAliveTimeout: limits.idle_ms,
    connectionsCheckingInterval: Math.min(1_000, limits.headers_ms),
    maxHeaderSize: HEAD_BYTES,
    // Two headers with one name must give both values, not the first.
    joinDuplicateHeaders: true,
    noDelay: true,
  };
  const server: Server =
    tls === undefined
      ? createServer(options, handler)
      : createSecureServer({ ...options, ...certificateOf(tls) }, handler);
  if (limits.connections > 0) server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(unreachable(host, port, error)));
    server.listen({ host, port }, resolve);
  });
  server.on("error", () => {});
  // Clients open connections before they have requests. Node does not treat these as idle until the time limit of a head has passed.
  const unused = new Set<Socket>();
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    queue.connectionAccepted();
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage) => unused.delete(socket));
  const { address, port: bound, family } = server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `${tls === undefined ? "http" : "https"}://${name}:${bound}`,
    async close(grace_ms, over) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      // A connection whose last request ends from now on would otherwise stay open for the next.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
      if (!(await endsWithin(closed, grace_ms))) {
        over();
        // Requests that are cut off get time to answer.
        await endsWithin(closed, LAST_MS);
      }
      clearInterval(idle);
      server.closeAllConnections();
      await closed;
    },
  };
}

function certificateOf({ cert, key }: NonNullable<Settings["tls"]>): {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: "TLSv1.2";
} {
  const read = (file: string): string => {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      throw new BylawError({
        code: "BYLAW_SETTINGS_INVALID",
        message: `Cannot read the certificate file \`${file}\`: ${messageOf(error)}`,
        fix: "Name the certificate chain and its key, both in PEM.",
      });
    }
  };
  return { cert: read(cert), key: read(key), minVersion: "TLSv1.2" };
}

const unreachable = (host: string, port: number, error: Error): BylawError =>
  new BylawError({
    code: "BYLAW_SERVICE_UNREACHABLE",
    message: `Cannot listen on ${host}, port ${port}: ${messageOf(error)}`,
    fix: "Choose another port, or stop the program that listens there.",
  });
