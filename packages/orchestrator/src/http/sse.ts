import type { Frame } from "../service/frame.ts";
import type { Listener } from "../service/feed.ts";

/** A stream of events to one client. */
export interface StreamTerms {
  readonly listener: Listener;
  /** The sequence that the client has. */
  readonly after: number;
  /** Which events it may see. */
  readonly sees: (frame: Frame) => boolean;
  /** Whether the stream ends before an event, such as one that gives the task to another agent. */
  readonly ends: (frame: Frame) => boolean;
  /** Asked before anything is sent; `false` ends the stream, such as where the token's time is over. */
  readonly may: () => boolean;
  readonly signal: AbortSignal;
  /** After so many milliseconds without an event a comment is sent, so that nothing on the way takes the connection for dead. */
  readonly heartbeat_ms: number;
  /** A client that does not take what was sent in so many milliseconds is cut. */
  readonly slow_ms: number;
  /** Ends the connection itself. */
  readonly cut: () => void;
  /** Called once, however the stream ends. */
  readonly onEnd: (how: "closed" | "slow" | "failed") => void;
}

/** So many characters go out at once. */
const CHUNK = 64_000;
/** How long a client waits before it comes back, in milliseconds. */
const RETRY = 1_000;

/**
 * The body of the answer. It is read from the log as fast as the client takes it, and holds one piece in memory: a client that is slow
 * is behind, and one that takes nothing is cut; with the id of the last event that it has it goes on where it was.
 */
export function eventStream(terms: StreamTerms): ReadableStream<Uint8Array> {
  const { listener, sees, ends, may, signal, heartbeat_ms, slow_ms, cut, onEnd } = terms;
  const encoder = new TextEncoder();
  let { after: position } = terms;
  let slow: NodeJS.Timeout | undefined;
  let ended = false;
  let over = false;

  function end(how: "closed" | "slow" | "failed"): void {
    if (ended) return;
    ended = true;
    clearTimeout(slow);
    listener.close();
    onEnd(how);
  }

  function send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(encoder.encode(text));
    slow = setTimeout(() => {
      end("slow");
      cut();
    }, slow_ms);
    slow.unref();
  }

  /** The next piece: events, or where there are none for a while the place that was reached. */
  async function piece(): Promise<string> {
    const from = position;
    const since = performance.now();
    for (;;) {
      const left = heartbeat_ms - (performance.now() - since);
      const frames = left <= 0 ? [] : await listener.after(position, { ms: left, signal });
      let text = "";
      for (const frame of frames) {
        if (text.length > CHUNK) break;
        over = ends(frame);
        if (over) break;
        position = frame.sequence;
        if (sees(frame)) text += frame.text;
      }
      if (text !== "" || signal.aborted || over) return text;
      // What others may see need not be looked through again.
      if (frames.length === 0) return position === from ? ":\n\n" : `id: ${position}\n:\n\n`;
    }
  }

  return new ReadableStream<Uint8Array>({
    start: (controller) => send(controller, `retry: ${RETRY}\n\n`),
    async pull(controller) {
      clearTimeout(slow);
      try {
        const text = signal.aborted || over || !may() ? "" : await piece();
        if (text === "" || !may()) {
          end("closed");
          controller.close();
        } else send(controller, text);
      } catch (error) {
        end("failed");
        controller.error(error);
      }
    },
    cancel: () => end("closed"),
  });
}
