import { createParser } from "eventsource-parser";

/** One server-sent event. */
export interface SseMessage {
  readonly id: string | undefined;
  /** Left out where the stream only says how far it is. */
  readonly data: string | undefined;
}

/** The longest event in characters, so that an endless line cannot fill the memory. */
const LONGEST = 8 * 1024 * 1024;

/** Reads a stream of server-sent events. Throws for an event that is too long; one that is cut off is dropped. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<SseMessage, void, undefined> {
  let messages: SseMessage[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST,
    onId: (id) => void messages.push({ id, data: undefined }),
    onEvent: ({ id, data }) => {
      // The id of this event was reported just before it.
      if (id !== undefined) messages.pop();
      messages.push({ id, data });
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new RangeError(`The server sent an event of more than ${LONGEST} characters`);
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
