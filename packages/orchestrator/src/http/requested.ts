import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import { received } from "./received.ts";
import type { RequestHead } from "./route.ts";

/** A request, whatever has brought it. */
export interface Requested extends RequestHead {
  /** With its query; with or without the host. */
  readonly url: string;
  /** What stands in the path for the parameters of the route. */
  params(): Readonly<Record<string, string>>;
  /** Aborted when the client leaves before it is answered. Asked for once. */
  left(): AbortSignal;
  /** All of the body; rejects with a problem where more than so many bytes come from a socket, or less than was announced. */
  bytes(limit: number): Promise<Uint8Array>;
  /** Where to write the answer, where a socket has brought it. */
  readonly outgoing: ServerResponse | undefined;
  /** When it came, by the clock of `performance`. */
  readonly came: number;
}

interface Ends {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

/** What the framework has read. */
export class FrameworkRequest implements Requested {
  readonly came = performance.now();
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get method(): string {
    return this.#context.req.method;
  }
  get url(): string {
    return this.#context.req.url;
  }
  header(name: string): string | undefined {
    return this.#context.req.header(name);
  }
  params(): Readonly<Record<string, string>> {
    return this.#context.req.param();
  }
  left(): AbortSignal {
    return this.#context.req.raw.signal;
  }
  cut(): void {
    this.outgoing?.destroy();
  }
  async bytes(limit: number): Promise<Uint8Array> {
    const { incoming } = (this.#context.env as Ends | undefined) ?? {};
    return incoming === undefined ? new Uint8Array(await this.#context.req.raw.arrayBuffer()) : await received(incoming, limit);
  }
  get outgoing(): ServerResponse | undefined {
    return (this.#context.env as Ends | undefined)?.outgoing;
  }
}

/** What Node has read, for a path without parameters. */
export class NodeRequest implements Requested {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly came: number;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, came: number) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.came = came;
  }

  get method(): string {
    return this.incoming.method ?? "";
  }
  get url(): string {
    return this.incoming.url ?? "";
  }
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return typeof value === "string" ? value : value?.join(", ");
  }
  params(): Readonly<Record<string, string>> {
    return {};
  }
  left(): AbortSignal {
    const controller = new AbortController();
    const { outgoing } = this;
    const look = (): void => {
      if (!outgoing.writableFinished) controller.abort();
    };
    if (outgoing.destroyed) look();
    else outgoing.once("close", look);
    return controller.signal;
  }
  cut(): void {
    this.outgoing.destroy();
  }
  bytes(limit: number): Promise<Uint8Array> {
    return received(this.incoming, limit);
  }
}
