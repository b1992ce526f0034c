import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BylawError, messageOf } from "@bylaw/kernel";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";

/** A server on this machine alone. */
export interface UiServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts listening on loopback. Throws BYLAW_SERVICE_UNREACHABLE if the port cannot be used. */
export async function serveUi(app: Hono, port: number): Promise<UiServer> {
  const server = createServer(getRequestListener(app.fetch, { hostname: HOST }));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new BylawError({
          code: "BYLAW_SERVICE_UNREACHABLE",
          message: `Cannot listen on ${HOST}, port ${port}: ${messageOf(error)}`,
          fix: "Choose another port, or stop the program that listens there.",
        }),
      ),
    );
    server.listen({ host: HOST, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
