import { createParser } from "eventsource-parser";
import { AgentError, RateLimited, TokenExpired, Unavailable } from "./errors.ts";
import type { Transport } from "./transport.ts";
import type { LogEvent } from "./types.ts";

/** Which events to read. */
export interface EventOptions {
  /** The sequence of the last known event; those after it follow. Default 0: all. */
  readonly after?: number;
  /** Ends the iteration, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest pause that the server may ask of a stream, in milliseconds. */
const MAX_PAUSE_MS = 60_000;

/**
 * Yields events as the server sends them, each once and in order. A broken stream is reopened where it broke, without a limit, and with
 * pauses that grow while nothing comes. Stop it by leaving the loop, or with the signal. Throws errors that a retry cannot fix.
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
        // Events of other tasks advance the position too.
        if (data === undefined) last = Math.max(last, Number(id) || 0);
        const event = data === undefined ? undefined : (JSON.parse(data) as LogEvent);
        if (event === undefined || event.sequence <= last) continue;
        last = event.sequence;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      // A token that was replaced meanwhile is not an error of the stream.
      const replaced = error instanceof TokenExpired && authorization() !== credential;
      if (
        !replaced &&
        error instanceof AgentError &&
        !(error instanceof Unavailable) &&
        !(error instanceof RateLimited)
      )
        throw error;
      if (error instanceof AgentError) asked_ms = Math.min(error.retry_after_ms ?? 0, MAX_PAUSE_MS);
    }
    failures += 1;
    await transport.sleep(transport.pause(failures, asked_ms), signal);
  }
}

interface SseMessage {
  readonly id: string | undefined;
  /** Left out if the message only reports the position of the stream. */
  readonly data: string | undefined;
}

/** The longest event in characters, so that an endless line cannot fill the memory. */
const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/** Reads a stream of server-sent events. Throws for an event that is too long, and drops one that is cut off. */
async function* readMessages(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<SseMessage, void, undefined> {
  let messages: SseMessage[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onId: (id) => void messages.push({ id, data: undefined }),
    onEvent: ({ id, data }) => {
      // The id of this event was reported just before it.
      if (id !== undefined) messages.pop();
      messages.push({ id, data });
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new RangeError(
          `The server sent an event of more than ${MAX_EVENT_LENGTH} characters`,
        );
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
