import { randomUUID } from "node:crypto";
import { checkArgument, omitUndefined, type EventDraft, type JsonObject } from "@bylaw/kernel";
import { StoreConflict, type Claim, type Store } from "@bylaw/store";
import type { Driver, WakeHandler } from "../driver.ts";
import { createSignal } from "./signal.ts";

/** The log that says who was woken, when and by whom: no run of a workflow may be called so. */
export const WAKE_LOG = "@wakes";

/** How the embedded driver works. */
export interface EmbeddedDriverOptions {
  /** Where the wakes are kept: all processes that share it deliver them. */
  readonly store: Store;
  /** Who delivers, as the log names it. Default: a name of its own. */
  readonly name?: string;
  /** How often is looked for wakes that nobody told of, in milliseconds. Default: 1,000. */
  readonly poll_ms?: number;
  /**
   * After so many milliseconds another may deliver a wake that was taken and not answered. Default:
   * 30,000.
   */
  readonly lease_ms?: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * The driver without a server of its own. Its table of wakes is the tasks of a store: one that is
 * available is due, one that is claimed is being answered or waits for its time, and who dies with
 * one gives it back. It answers one wake after the other.
 */
export function createEmbeddedDriver(options: EmbeddedDriverOptions): Driver {
  const {
    store,
    name = `driver-${randomUUID()}`,
    poll_ms = 1_000,
    lease_ms = 30_000,
    onError = () => {},
  } = checkArgument("createEmbeddedDriver", "options", options);
  const session = randomUUID();
  const signalled = createSignal();
  const closing = new AbortController();
  // When the earliest of the wakes that were put back here is due.
  let due = Infinity;

  const draft = (event_type: string, details: JsonObject): EventDraft => ({
    ...{ timestamp: new Date().toISOString(), session_id: session },
    ...{ event_type, agent_id: null, task_id: null, details },
  });

  /**
   * Says what became of a wake that was taken. Another may have taken it since, and then says so
   * itself.
   */
  async function settle(
    { task, fence }: Claim,
    event: EventDraft,
    then: { readonly wait_ms: number } | "done",
  ): Promise<void> {
    const set =
      then === "done"
        ? { set: { state: "done", owner: null } as const }
        : { lease_ms: then.wait_ms, set: { state: "claimed" } as const };
    try {
      await store.commit({
        run: WAKE_LOG,
        seen: 0,
        events: [event],
        task: { id: task, fence, ...set },
      });
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }

  async function deliver(claim: Claim, handler: WakeHandler): Promise<void> {
    const { run, at } = wakeIn(claim.task);
    const wait_ms = Math.ceil(at - Date.now());
    if (wait_ms > 0) {
      due = Math.min(due, at);
      return settle(claim, draft("wake_delayed", { run, at }), { wait_ms });
    }
    try {
      while ((await handler({ runId: run })) === "again" && !closing.signal.aborted);
    } catch (error) {
      // It comes again when its lease is over.
      onError(error);
      return;
    }
    await settle(claim, draft("wake_answered", { run, by: name }), "done");
  }

  const take = (): Promise<Claim | undefined> =>
    store.claim({
      ...{ queue: WAKE_LOG, agent: name, lease_ms },
      event: ({ task }) => draft("wake_taken", { run: wakeIn(task).run, by: name }),
    });

  return {
    async wake({ runId }, { at = 0, key } = {}) {
      if (closing.signal.aborted) return;
      await store.commit({
        ...{
          run: WAKE_LOG,
          seen: 0,
          events: [draft("wake_set", { run: runId, at })],
          ...omitUndefined({ request_id: key }),
        },
        task: {
          id: JSON.stringify([WAKE_LOG, runId, at, randomUUID()]),
          fence: 0,
          set: { state: "available", queue: WAKE_LOG },
        },
      });
      signalled.raise();
    },
    async serve(handler) {
      const unwatch = await store.watch((run) => void (run === WAKE_LOG && signalled.raise()));
      try {
        while (!closing.signal.aborted) {
          try {
            const claim = await take();
            if (claim !== undefined) {
              await deliver(claim, handler);
              continue;
            }
          } catch (error) {
            onError(error);
          }
          const wait = Math.min(poll_ms, Math.max(due - Date.now(), 1));
          if (due <= Date.now()) due = Infinity;
          await signalled.wait(wait);
        }
      } finally {
        unwatch();
      }
    },
    async close() {
      closing.abort();
      signalled.raise();
    },
  };
}

function wakeIn(task: string): { readonly run: string; readonly at: number } {
  const [, run, at] = JSON.parse(task) as readonly [string, string, number, string];
  return { run, at };
}
