import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { BylawError, omitUndefined } from "@bylaw/kernel";
import type { Driver, WakeRequest, WakeHandler } from "../driver.ts";
import { loadPeer } from "../wakes/peer-package.ts";

/** Options of the driver over Restate. */
export interface RestateDriverOptions {
  /** The URL at which Restate accepts calls, such as `http://127.0.0.1:8080`. */
  readonly ingress: string;
  /** Headers of calls to it, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where this process listens for Restate. Default: a free port of 127.0.0.1. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /**
   * The admin URL of Restate, such as `http://127.0.0.1:9070`, at which the driver registers the
   * address of the workers. When left out, you must register it yourself.
   */
  readonly admin?: string;
  /**
   * The registered address, if it is not the one that this process listens on, such as that of a
   * load balancer in front of all workers.
   */
  readonly address?: string;
  /**
   * The public keys of the Restate servers that may call, `publickeyv1_…`. When left out, anyone
   * who reaches the port may wake a run.
   */
  readonly identity_keys?: readonly string[];
  readonly onError?: (error: unknown) => void;
}

const SERVICE = "bylaw-wakes";
const REGISTRATIONS = 100;

const load = () => loadPeer("@restatedev/restate-sdk", () => import("@restatedev/restate-sdk"));

/**
 * Opens the driver over Restate: each wake is a call of a virtual object with the name of the run. Throws
 * BYLAW_DRIVER_UNAVAILABLE if `@restatedev/restate-sdk` is not installed or Restate does not answer. Throws
 * BYLAW_URL_INVALID for an address that is not a URL or contains a user or password, because messages show it.
 */
export async function openRestateDriver(options: RestateDriverOptions): Promise<Driver> {
  const { ingress, admin, address } = options;
  for (const [name, url] of Object.entries({ ingress, admin, address }))
    if (url !== undefined) refuseSecret(name, url);
  return new RestateDriver(options, await load());
}

class RestateDriver implements Driver {
  readonly #options: RestateDriverOptions;
  readonly #sdk: Awaited<ReturnType<typeof load>>;
  readonly #closing = new AbortController();

  constructor(options: RestateDriverOptions, sdk: Awaited<ReturnType<typeof load>>) {
    this.#options = options;
    this.#sdk = sdk;
  }

  async wake(
    { runId }: WakeRequest,
    { at = 0, key }: { readonly at?: number; readonly key?: string } = {},
  ): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { ingress, headers } = this.#options;
    const wait = Math.ceil(at - Date.now());
    const url = below(ingress, `${SERVICE}/${encodeURIComponent(runId)}/wake/send`);
    if (wait > 0) url.searchParams.set("delay", `${wait}ms`);
    await post(
      url,
      {},
      { ...headers, ...omitUndefined({ "idempotency-key": key && encodeURIComponent(key) }) },
    );
  }

  async serve(handler: WakeHandler): Promise<void> {
    const { listen = {}, admin, address, identity_keys } = this.#options;
    const server = createServer(
      this.#sdk.createEndpointHandler({
        services: [this.#serviceFor(handler)],
        logger: () => {},
        ...omitUndefined({ identityKeys: identity_keys && [...identity_keys] }),
      }),
    );
    const sessions = new Set<ServerHttp2Session>();
    server.on("session", (session) => {
      sessions.add(session.on("error", () => {}));
      session.once("close", () => sessions.delete(session));
    });
    const { host = "127.0.0.1", port = 0 } = listen;
    const bound = await listening(server, host, port);
    try {
      if (admin !== undefined)
        await this.#register(below(admin, "deployments"), address ?? `http://${host}:${bound}`);
      await closed(this.#closing.signal);
    } finally {
      await closeServer(server, sessions);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  #serviceFor(handler: WakeHandler) {
    return this.#sdk.object({
      name: SERVICE,
      // A wake that cannot be answered must not block the next one of its run for ever.
      options: {
        retryPolicy: {
          initialInterval: 100,
          exponentiationFactor: 2,
          maxInterval: 10_000,
          maxAttempts: 20,
          onMaxAttempts: "kill",
        },
      },
      handlers: {
        wake: async ({ key }: { readonly key: string }): Promise<void> => {
          try {
            while ((await handler({ runId: key })) === "again" && !this.#closing.signal.aborted);
          } catch (error) {
            this.#options.onError?.(error);
            throw error;
          }
        },
      },
    });
  }

  /** Retries, because a Restate that has just started answers but does not accept registrations yet. */
  async #register(url: URL, uri: string): Promise<void> {
    for (let left = REGISTRATIONS; ; left -= 1) {
      try {
        return await post(url, { uri, force: true }, {});
      } catch (error) {
        if (left === 0 || this.#closing.signal.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

const below = (address: string, path: string): URL =>
  new URL(path, address.endsWith("/") ? address : `${address}/`);

async function closeServer(
  server: Http2Server,
  sessions: ReadonlySet<ServerHttp2Session>,
): Promise<void> {
  for (const session of sessions) session.close();
  const gone = new Promise((resolve) => server.close(resolve));
  const timer = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, 1_000);
  await gone;
  clearTimeout(timer);
}

function refuseSecret(name: string, url: string): void {
  const place = URL.parse(url);
  if (place !== null && place.username === "" && place.password === "") return;
  throw new BylawError({
    code: "BYLAW_URL_INVALID",
    message: `The address of Restate in \`${name}\` must be a URL without a user or a password`,
    fix: "Set BYLAW_RESTATE_TOKEN, or use `headers`",
  });
}

async function post(
  url: URL,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  let said: string;
  try {
    const answer = await fetch(url, {
      ...{ method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) },
      headers: { "content-type": "application/json", ...headers },
    });
    if (answer.ok) {
      await answer.body?.cancel();
      return;
    }
    said = `${answer.status} ${(await answer.text()).slice(0, 200)}`;
  } catch (error) {
    said = error instanceof Error ? error.message : String(error);
  }
  throw new BylawError({
    code: "BYLAW_DRIVER_UNAVAILABLE",
    message: `Restate at ${url.host} did not take the call (${said})`,
    fix: "Check that the server runs and can be reached from here",
  });
}

const listening = (server: Http2Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

const closed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
