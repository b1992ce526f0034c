import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "@bylaw/testing";
import { serve, TOKENS, type Served } from "./operate-kit.ts";

/** An HTTP server on loopback that keeps what it received. */
export abstract class Receiver<Received> {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.#server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      this.received.push(this.receive(request, text, response));
      for (const look of this.#waiting) look();
    });
  }

  /** Answers a request. */
  protected abstract receive(
    request: IncomingMessage,
    text: string,
    response: ServerResponse,
  ): Received;

  /** Starts it. Resolves to its origin. */
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when this many requests have come. */
  async until(count: number): Promise<readonly Received[]> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.received.length >= count) resolve();
      };
      this.#waiting.add(look);
      look();
    });
    return this.received;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Starts a service whose messages have links to itself. */
export async function serveNotifying(given: Parameters<typeof serve>[0] = {}): Promise<Served> {
  const port = await freePort();
  return serve({
    ...given,
    settings: {
      port,
      notify: { answers_at: `http://127.0.0.1:${port}` },
      operate: { due_every_ms: 20 },
    },
  });
}

/** An operator who is told in this way. */
export const told = (
  name: keyof typeof TOKENS,
  notify: object,
  roles?: readonly string[],
): object => ({
  name,
  token: `sha256:${createHash("sha256").update(TOKENS[name]).digest("hex")}`,
  notify,
  ...(roles === undefined ? {} : { roles }),
});

/** Replaces the operators of a service. */
export function setOperators(served: Served, ...operators: readonly object[]): void {
  const file = join(served.folder, "data", "operators.json");
  writeFileSync(file, JSON.stringify({ operators }), { mode: 0o600 });
  chmodSync(file, 0o600);
}
