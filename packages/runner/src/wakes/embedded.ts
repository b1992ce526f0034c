import { randomUUID } from "node:crypto";
import { checkArgument, omitUndefined, type EventDraft, type JsonObject } from "@bylaw/kernel";
import { StoreConflict, type Claim, type Store } from "@bylaw/store";
import type { Driver, WakeRequest, WakeHandler } from "../driver.ts";
import { createSignal } from "./signal.ts";

/** The log that records each wake. A run of a workflow must not have this name. */
export const WAKE_LOG = "@wakes";

/** Options of the embedded driver. */
export interface EmbeddedDriverOptions {
  /** The store that keeps the wakes. All processes that share it deliver them. */
  readonly store: Store;
  /** The name of this process in the log. Default: a new name. */
  readonly name?: string;
  /** How often the driver looks for wakes without a notification, in milliseconds. Default: 1,000. */
  readonly poll_ms?: number;
  /** After how many milliseconds an unanswered wake may be delivered by another process. Default: 30,000. */
  readonly lease_ms?: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * Creates the driver that needs no server of its own. It keeps wakes as tasks of a store: an
 * available task is due, and a claimed one is being answered or waits for its time. If a process
 * dies, its claim ends with the lease. It answers one wake after the other.
 */
export function createEmbeddedDriver(options: EmbeddedDriverOptions): Driver {
  return new EmbeddedDriver(checkArgument("createEmbeddedDriver", "options", options));
}

class EmbeddedDriver implements Driver {
  readonly #store: Store;
  readonly #name: string;
  readonly #poll_ms: number;
  readonly #lease_ms: number;
  readonly #onError: (error: unknown) => void;
  readonly #session = randomUUID();
  readonly #signalled = createSignal();
  readonly #closing = new AbortController();
  /** When the earliest of the wakes that this process postponed is due. */
  #due = Infinity;

  constructor({
    store,
    name = `driver-${randomUUID()}`,
    poll_ms = 1_000,
    lease_ms = 30_000,
    onError = () => {},
  }: EmbeddedDriverOptions) {
    this.#store = store;
    this.#name = name;
    this.#poll_ms = poll_ms;
    this.#lease_ms = lease_ms;
    this.#onError = onError;
  }

  async wake(
    { runId }: WakeRequest,
    { at = 0, key }: { readonly at?: number; readonly key?: string } = {},
  ): Promise<void> {
    if (this.#closing.signal.aborted) return;
    await this.#store.commit({
      run: WAKE_LOG,
      seen: 0,
      events: [this.#draft("wake_set", { run: runId, at })],
      ...omitUndefined({ request_id: key }),
      task: {
        id: JSON.stringify([WAKE_LOG, runId, at, randomUUID()]),
        fence: 0,
        set: { state: "available", queue: WAKE_LOG },
      },
    });
    this.#signalled.raise();
  }

  async serve(handler: WakeHandler): Promise<void> {
    const unwatch = await this.#store.watch(
      (run) => void (run === WAKE_LOG && this.#signalled.raise()),
    );
    try {
      while (!this.#closing.signal.aborted) {
        if (await this.#deliverOne(handler).catch(this.#onError)) continue;
        const wait = Math.min(this.#poll_ms, Math.max(this.#due - Date.now(), 1));
        if (this.#due <= Date.now()) this.#due = Infinity;
        await this.#signalled.wait(wait);
      }
    } finally {
      unwatch();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#signalled.raise();
  }

  async #deliverOne(handler: WakeHandler): Promise<boolean> {
    const claim = await this.#store.claim({
      ...{ queue: WAKE_LOG, agent: this.#name, lease_ms: this.#lease_ms },
      event: ({ task }) => this.#draft("wake_taken", { run: wakeIn(task).run, by: this.#name }),
    });
    if (claim === undefined) return false;
    await this.#deliver(claim, handler);
    return true;
  }

  async #deliver(claim: Claim, handler: WakeHandler): Promise<void> {
    const { run, at } = wakeIn(claim.task);
    const wait_ms = Math.ceil(at - Date.now());
    if (wait_ms > 0) {
      this.#due = Math.min(this.#due, at);
      return this.#settle(claim, this.#draft("wake_delayed", { run, at }), { wait_ms });
    }
    try {
      while ((await handler({ runId: run })) === "again" && !this.#closing.signal.aborted);
    } catch (error) {
      // The wake comes again when its lease ends.
      this.#onError(error);
      return;
    }
    await this.#settle(claim, this.#draft("wake_answered", { run, by: this.#name }), "done");
  }

  /**
   * Records the outcome of a wake that was taken. Does nothing if another process has taken it
   * since, because that one records the outcome.
   */
  async #settle(
    { task, fence }: Claim,
    event: EventDraft,
    then: { readonly wait_ms: number } | "done",
  ): Promise<void> {
    const set =
      then === "done"
        ? { set: { state: "done", owner: null } as const }
        : { lease_ms: then.wait_ms, set: { state: "claimed" } as const };
    try {
      await this.#store.commit({
        run: WAKE_LOG,
        seen: 0,
        events: [event],
        task: { id: task, fence, ...set },
      });
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }

  #draft(event_type: string, details: JsonObject): EventDraft {
    return {
      ...{ timestamp: new Date().toISOString(), session_id: this.#session },
      ...{ event_type, agent_id: null, task_id: null, details },
    };
  }
}

function wakeIn(task: string): { readonly run: string; readonly at: number } {
  const [, run, at] = JSON.parse(task) as readonly [string, string, number, string];
  return { run, at };
}
