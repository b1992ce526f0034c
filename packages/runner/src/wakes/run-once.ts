import { randomUUID } from "node:crypto";
import type { EventDraft } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import { WAKE_LOG } from "./embedded.ts";

const KIND = "bylaw/prepared";
const LEASE_MS = 60_000;
const LOOK_MS = 100;

/**
 * Does work once, and never twice at the same time, across all processes that share a store. It is
 * done again for another `version`. Throws what the work throws; then the work counts as not done.
 */
export async function runOnce(
  store: Store,
  { name, version }: { readonly name: string; readonly version: string },
  work: () => Promise<void>,
) {
  const id = `bylaw/prepare:${name}`;
  const by = randomUUID();
  const draft = (event_type: string): EventDraft => ({
    ...{ timestamp: new Date().toISOString(), session_id: by },
    ...{ event_type, agent_id: null, task_id: null, details: { name, version } },
  });
  const isDone = async (): Promise<boolean> => (await store.get(KIND, name))?.value === version;
  if (await isDone()) return;
  await store
    .commit({
      run: WAKE_LOG,
      seen: 0,
      events: [draft("preparation_wanted")],
      task: { id, fence: 0, set: { state: "available", queue: id } },
    })
    .catch((error: unknown) => {
      // Another process has created the task before.
      if (!(error instanceof StoreConflict)) throw error;
    });
  for (;;) {
    if (await isDone()) return;
    const claim = await store.claim({
      queue: id,
      agent: by,
      lease_ms: LEASE_MS,
      event: () => draft("preparation_begun"),
    });
    if (claim === undefined) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      continue;
    }
    const task = { id, fence: claim.fence, set: { state: "available", owner: null } } as const;
    const settle = (event_type: string, done: boolean) =>
      store.commit({
        ...{ run: WAKE_LOG, seen: 0, events: [draft(event_type)], task },
        documents: done ? [{ kind: KIND, id: name, value: version }] : [],
      });
    try {
      // Another process may have done the work between the two checks.
      if (!(await isDone())) await work();
    } catch (error) {
      await settle("preparation_failed", false);
      throw error;
    }
    await settle("preparation_done", true);
    return;
  }
}
