import { Worker } from "node:worker_threads";
import type { Connection } from "./engine.ts";

/** What the thread says: that it waits for work, or that it can do none. */
export type Word = "ready" | "failed";

/** Sees to it that under load nobody waits for the log beside the file to be taken over into it, which takes longer than many commits. */
export interface Checkpoints {
  /** To be called after each commit, with how many waited for it. That commit stands whatever comes of this: it throws nothing. */
  committed(calls: number): void;
  /** Resolves when the thread has let go of the file. */
  close(): Promise<void>;
}

/** Pages that are taken over at a time. What a store writes that has no thread it takes over itself, so many pages at a time too. */
export const PAGES = 1_000;
/** So many pages at once are load: they are worth a thread. */
const LOAD = 500;
/** With so many pages who writes takes them over, so that the log begins anew: the thread cannot do that where commits leave no gap. */
export const LATE = 16_000;
/** So many that wait for one commit are a crowd; who writes alone, without a gap, would only share the disk with the thread. */
const CROWD = 4;
/** It is gone when so many commits have had none. */
const GONE = 16;
/** How long the log is is asked after so many commits, because it takes some microseconds. */
const COMMITS = 8;

export interface State {
  /** Pages in the log, and how many of them are taken over. */
  readonly log: number;
  readonly checkpointed: number;
}

export const NONE: State = { log: 0, checkpointed: 0 };

export function createCheckpoints(db: Connection, path: string): Checkpoints {
  const state = db.prepare<[], State>("pragma wal_checkpoint(noop)");
  let commits = 0;
  let thread: Worker | undefined;
  let ended: Promise<void> | undefined;
  let ready = false;
  let able = false;
  let unable = false;
  let alone = GONE;

  function start(): Worker {
    const worker = new Worker(
      new URL(`./checkpoint-thread${import.meta.url.slice(-3)}`, import.meta.url),
      { workerData: { path } },
    );
    ended = new Promise((resolve) => worker.once("exit", () => resolve()));
    worker.on("message", (word: Word) => settle(word === "ready"));
    worker.on("error", () => settle(false));
    // A process that has nothing else to do may end.
    worker.unref();
    return worker;
  }

  // Where there is no thread, or one that fails, the store goes on as it began.
  function settle(word: boolean): void {
    ready = word;
    able = word;
    share();
  }

  // Who takes the log over.
  const share = (): void =>
    void db.pragma(`wal_autocheckpoint = ${able && alone < GONE ? LATE : PAGES}`);

  function look(): void {
    const { log, checkpointed } = state.get() ?? NONE;
    if (thread === undefined) {
      if (log - checkpointed >= LOAD) thread = start();
    } else if (log - checkpointed >= PAGES) {
      ready = false;
      thread.postMessage("checkpoint");
    }
  }

  return {
    committed(calls) {
      if (unable) return;
      const before = alone;
      alone = calls >= CROWD ? 0 : Math.min(GONE, alone + 1);
      try {
        if (able && before < GONE !== alone < GONE) share();
        commits += 1;
        if (alone === GONE || commits < COMMITS || (thread !== undefined && !ready)) return;
        commits = 0;
        look();
      } catch {
        // No more threads here, or none allowed.
        unable = true;
      }
    },
    async close() {
      thread?.ref();
      thread?.postMessage("close");
      await ended;
    },
  };
}
