import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import type { Frame, Listener } from "./feed.ts";
import type { AppContext } from "../http/app-env.ts";

/** How a stream of events ended. */
export type StreamEnd = "closed" | "slow" | "failed";

/** A stream of events to one client. */
export interface StreamOptions {
  readonly listener: Listener;
  /** The sequence of the last event that the client has. */
  readonly after: number;
  /** Whether the client may see an event. */
  readonly sees: (frame: Frame) => boolean;
  /** Whether the stream ends before an event, such as one that gives the task to another agent. */
  readonly endsBefore: (frame: Frame) => boolean;
  /** Called before anything is sent. `false` ends the stream, for example when the token has expired. */
  readonly mayGoOn: () => boolean;
  readonly signal: AbortSignal;
  /** After how many milliseconds without an event to send a comment, so that no proxy closes the connection as dead. */
  readonly heartbeat_ms: number;
  /** After how many milliseconds a client that reads nothing is disconnected. */
  readonly slow_ms: number;
  /** Called once, however the stream ends. */
  readonly onEnd: (how: StreamEnd) => void;
}

/** How many milliseconds a client waits before it reconnects. */
const RETRY = 1_000;

/**
 * Answers with server-sent events, read from the log as fast as the client takes them. A client that was disconnected continues with the id
 * of its last event and misses none.
 */
export function eventStream(context: AppContext, options: StreamOptions): Response {
  const response = streamSSE(context, (stream) => new EventStream(context, stream, options).run());
  response.headers.set("cache-control", "no-store");
  response.headers.set("x-accel-buffering", "no");
  return response;
}

class EventStream {
  readonly #context: AppContext;
  readonly #stream: SSEStreamingApi;
  readonly #options: StreamOptions;
  readonly #left = new AbortController();
  readonly #signal: AbortSignal;
  #position: number;
  #end: StreamEnd = "closed";

  constructor(context: AppContext, stream: SSEStreamingApi, options: StreamOptions) {
    this.#context = context;
    this.#stream = stream;
    this.#options = options;
    this.#position = options.after;
    this.#signal = AbortSignal.any([options.signal, this.#left.signal]);
    stream.onAbort(() => this.#left.abort());
  }

  async run(): Promise<void> {
    const { listener, onEnd } = this.#options;
    try {
      await this.#send(() => this.#stream.write(`retry: ${RETRY}\n\n`));
      while (this.#goesOn() && (await this.#sendNext()));
    } catch {
      this.#end = "failed";
    } finally {
      listener.close();
      onEnd(this.#end);
    }
  }

  #goesOn(): boolean {
    return !this.#signal.aborted && this.#options.mayGoOn();
  }

  /**
   * Sends the next events. If there are none for a while, sends how far the client has seen the log. Resolves to whether there may be more.
   */
  async #sendNext(): Promise<boolean> {
    const from = this.#position;
    const deadline = performance.now() + this.#options.heartbeat_ms;
    for (;;) {
      const ms = deadline - performance.now();
      const frames = ms <= 0 ? [] : await this.#next(ms);
      const sent = await this.#sendAll(frames);
      if (sent === "over" || this.#signal.aborted) return false;
      if (sent === "some") return true;
      if (frames.length > 0) continue;
      if (!this.#goesOn()) return false;
      const seen = this.#position === from ? "" : `id: ${this.#position}\n`;
      await this.#send(() => this.#stream.write(`${seen}:\n\n`));
      return true;
    }
  }

  #next(ms: number): Promise<readonly Frame[]> {
    return this.#options.listener.after(this.#position, { ms, signal: this.#signal });
  }

  async #sendAll(frames: readonly Frame[]): Promise<"over" | "some" | "none"> {
    const { sees, endsBefore } = this.#options;
    let sent: "some" | "none" = "none";
    for (const frame of frames) {
      if (endsBefore(frame) || (sees(frame) && !this.#goesOn())) return "over";
      this.#position = frame.sequence;
      if (!sees(frame)) continue;
      const { sequence, event, data } = frame;
      await this.#send(() => this.#stream.writeSSE({ id: String(sequence), event, data }));
      sent = "some";
    }
    return sent;
  }

  async #send(write: () => Promise<unknown>): Promise<void> {
    const slow = setTimeout(() => {
      this.#end = "slow";
      this.#left.abort();
      this.#context.env?.outgoing?.destroy();
    }, this.#options.slow_ms);
    slow.unref();
    try {
      await write();
    } finally {
      clearTimeout(slow);
    }
  }
}
