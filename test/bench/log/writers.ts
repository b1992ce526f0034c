// Writers that wait until each event is durable before they write the next, and their rate in events a second.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import type { EventDraft } from "@bylaw/kernel";
import { placeEvent } from "@bylaw/log";
import type { Store } from "@bylaw/store";

/** Writes one event of a writer; resolves when it is durable. */
export type Append = (writer: number, event: EventDraft) => Promise<unknown>;

/** An event of the size of a decision about a tool call. */
export const eventOf = (writer: number, index: number): EventDraft => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "tool_allowed",
  agent_id: `agent-${writer}`,
  task_id: `task-${index % 100}`,
  details: {
    id: `call-${writer}-${index}`,
    tool: "read_file",
    args: { path: `src/file-${index}.ts` },
    reason: "x".repeat(100),
  },
});

/** The rate in events a second of this many concurrent writers, over at least `ms` milliseconds. */
export async function rateOf(writers: number, append: Append, ms: number): Promise<number> {
  const start = performance.now();
  const end = start + ms;
  let written = 0;
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; performance.now() < end; index += 1) {
      await append(writer, eventOf(writer, index));
      written += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return (written / (performance.now() - start)) * 1e3;
}

/** Each writer appends to its own log. */
export const appendTo =
  (store: Store, prefix: string): Append =>
  (writer, event) =>
    store.commit({ run: `${prefix}-${writer}`, seen: Number.MAX_SAFE_INTEGER, events: [event] });

/** All writers append to one log. */
export const appendToOne =
  (store: Store, prefix: string): Append =>
  (_, event) =>
    store.commit({ run: prefix, seen: Number.MAX_SAFE_INTEGER, events: [event] });

/**
 * The limit of the disk: the bytes of the same events, with all appends of one event-loop tick in one `write` and one `fdatasync`.
 * It numbers, chains, checks and finds nothing: a floor, not a log.
 */
export function openFloor(file: string): { readonly append: Append; readonly close: () => void } {
  const descriptor = openSync(file, "a");
  let waiting: { readonly line: string; readonly done: () => void }[] = [];
  let running = false;
  async function run(): Promise<void> {
    running = true;
    for (;;) {
      await turnOfLoop();
      if (waiting.length === 0) break;
      const batch = waiting;
      waiting = [];
      writeSync(descriptor, batch.map(({ line }) => line).join(""));
      fdatasyncSync(descriptor);
      for (const { done } of batch) done();
    }
    running = false;
  }
  const hash = `sha256:${"0".repeat(64)}`;
  return {
    append: (_, draft) =>
      new Promise<void>((done) => {
        const event = placeEvent(draft, 1_000, hash);
        waiting.push({ line: `${JSON.stringify(event)}\n`, done });
        if (!running) void run();
      }),
    close: () => closeSync(descriptor),
  };
}
