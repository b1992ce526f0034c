import { Worker } from "node:worker_threads";
import { ENGINE_TIMEOUT_MS, type HookAnswer } from "@bylaw/hook-client";
import type { ThreadNews, ThreadTask } from "./run-hook-thread.ts";
import type { HookRequest } from "./hook-request.ts";
import { signatureOf } from "./signature.ts";

// A parsed event takes several times its size, which may be 16 MB.
const HEAP_MB = 512;
// With a small young generation the memory of an event is freed sooner, at the cost of a little speed.
const YOUNG_MB = 4;

interface Waiting {
  readonly done: (answer: HookAnswer | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Decides by one configuration in its own thread. The thread can be ended whatever runs in it, has its own globals, and loads every
 * module anew.
 */
export class DecidingThread {
  /** Resolves when the configuration is loaded. Rejects with the reason if loading fails. */
  readonly loaded: Promise<void>;
  alive = true;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  /** Every file that was read while loading, with its signature before it was read. */
  readonly #read = new Map<string, string>();
  #count = 0;
  #retired = false;

  constructor(config: string, program: URL) {
    this.#read.set(config, signatureOf(config));
    this.#worker = new Worker(program, {
      workerData: { config },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.loaded = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`It did not load within ${ENGINE_TIMEOUT_MS / 1_000} seconds`));
        this.#end();
      }, ENGINE_TIMEOUT_MS);
      const settle = (reason?: string): void => {
        clearTimeout(timer);
        if (reason === undefined) resolve();
        else reject(new Error(reason));
      };
      this.#worker.on("message", (news: ThreadNews) => this.#hear(news, settle));
      // Only uncaught errors arrive here, and they end the thread.
      this.#worker.on("error", (error: Error) => settle(error.message));
      this.#worker.on("exit", () => {
        settle("The configuration ended its process");
        this.#end();
      });
    });
  }

  /** Whether a file that the configuration was loaded from has changed. */
  get changed(): boolean {
    for (const [path, signature] of this.#read) if (signatureOf(path) !== signature) return true;
    return false;
  }

  /** Answers an event. Undefined if the thread ends or takes too long; a thread that takes too long is ended. */
  ask(request: HookRequest): Promise<HookAnswer | undefined> {
    return new Promise((done) => {
      if (!this.alive) return done(undefined);
      const id = (this.#count += 1);
      const timer = setTimeout(() => this.#end(), ENGINE_TIMEOUT_MS);
      this.#waiting.set(id, { done, timer });
      this.#worker.postMessage({ id, request } satisfies ThreadTask, [
        request.input.buffer as ArrayBuffer,
      ]);
    });
  }

  /** Ends the thread after its open questions are answered. */
  retire(): void {
    this.#retired = true;
    if (this.#waiting.size === 0) this.#end();
  }

  #hear(news: ThreadNews, settle: (reason?: string) => void): void {
    switch (news.kind) {
      case "read":
        this.#read.set(news.path, news.signature);
        return;
      case "loaded":
        return settle();
      case "failed":
        return settle(news.message);
      case "answer":
        this.#settle(news.id, news.answer);
        if (this.#retired) this.retire();
    }
  }

  #settle(id: number, answer?: HookAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    waiting?.done(answer);
  }

  #end(): void {
    this.alive = false;
    for (const id of [...this.#waiting.keys()]) this.#settle(id);
    void this.#worker.terminate();
  }
}
