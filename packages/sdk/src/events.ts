import { createParser } from "eventsource-parser";
import { AgentError, RateLimited, TokenExpired, Unavailable } from "./errors.ts";
import type { Transport } from "./transport.ts";
import type { LogEvent } from "./types.ts";

/** Which events. */
export interface EventOptions {
  /** The last event that is known, by its sequence: the ones after it come. Default 0: all. */
  readonly after?: number;
  /** Ends the iteration; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest that a stream waits since the server asks for it, in milliseconds. */
const LONGEST_PAUSE = 60_000;

/**
 * Events as the server sends them, each once and in order. A stream that breaks is opened again where it broke, with pauses that grow as long
 * as nothing comes, and without an end: stop it by leaving the loop, or by the signal. What another attempt cannot mend is thrown.
 */
export async function* followEvents(
  transport: Transport,
  authorization: () => string,
  { after = 0, signal }: EventOptions,
): AsyncGenerator<LogEvent, void, undefined> {
  let last = after;
  for (let failures = 0; ;) {
    const credential = authorization();
    let asked_ms: number | undefined;
    try {
      const headers = { accept: "text/event-stream", "last-event-id": String(last) };
      const response = await transport.open({
        method: "GET",
        path: "/events",
        authorization,
        headers,
        signal,
      });
      for await (const { id, data } of readMessages(response.body ?? new ReadableStream())) {
        failures = 0;
        // Events of other tasks move the position too.
        if (data === undefined) last = Math.max(last, Number(id) || 0);
        const event = data === undefined ? undefined : (JSON.parse(data) as LogEvent);
        if (event === undefined || event.sequence <= last) continue;
        last = event.sequence;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      // A token that was replaced meanwhile is no fault of the stream.
      const replaced = error instanceof TokenExpired && authorization() !== credential;
      if (
        !replaced &&
        error instanceof AgentError &&
        !(error instanceof Unavailable) &&
        !(error instanceof RateLimited)
      )
        throw error;
      if (error instanceof AgentError)
        asked_ms = Math.min(error.retry_after_ms ?? 0, LONGEST_PAUSE);
    }
    failures += 1;
    await transport.sleep(transport.pause(failures, asked_ms), signal);
  }
}

interface SseMessage {
  readonly id: string | undefined;
  /** Left out where the stream only says how far it is. */
  readonly data: string | undefined;
}

/** The longest event in characters, so that an endless line cannot fill the memory. */
const LONGEST_EVENT = 8 * 1024 * 1024;

/** Reads a stream of server-sent events. Throws for an event that is too long; one that is cut off is dropped. */
async function* readMessages(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<SseMessage, void, undefined> {
  let messages: SseMessage[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onId: (id) => void messages.push({ id, data: undefined }),
    onEvent: ({ id, data }) => {
      // The id of this event was reported just before it.
      if (id !== undefined) messages.pop();
      messages.push({ id, data });
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new RangeError(`The server sent an event of more than ${LONGEST_EVENT} characters`);
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(value);
      yield* messages;
      messages = [];
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
