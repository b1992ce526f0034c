import type { LogEvent } from "./event.ts";
import {
  StoreConflict,
  type Claim,
  type ClaimRequest,
  type Commit,
  type Receipt,
  type Store,
  type StoredDocument,
  type TaskWrite,
} from "./store.ts";

interface Document extends StoredDocument {
  readonly expires: number;
}

interface Task {
  readonly run: string;
  readonly queue: string;
  readonly state: string;
  readonly phase?: string;
  readonly owner: string | null;
  readonly fence: number;
  readonly lease: number;
}

/** A store in this process's memory: for tests, for one-off runs, and as the plainest reading of the contract. */
export function createMemoryStore({ now = Date.now }: { readonly now?: () => number } = {}): Store {
  const runs = new Map<string, LogEvent[]>();
  const documents = new Map<string, Document>();
  const tasks = new Map<string, Task>();
  const receipts = new Map<string, Receipt>();
  const claims = new Map<string, Claim>();
  const watchers = new Set<(run: string, head: number) => void>();

  const key = (kind: string, id: string): string => JSON.stringify([kind, id]);
  const read = (kind: string, id: string): Document | undefined => {
    const found = documents.get(key(kind, id));
    return found !== undefined && found.expires > now() ? found : undefined;
  };

  function checkTask({ id, fence }: TaskWrite): void {
    const held = tasks.get(id)?.fence ?? 0;
    if (held !== fence)
      throw new StoreConflict("fence", `Unexpected fence ${fence} of task \`${id}\`, expected ${held}`);
  }

  function writeTask(run: string, { id, fence, set }: TaskWrite): void {
    if (set === undefined) return;
    const before = tasks.get(id);
    const phase = set.phase ?? before?.phase;
    tasks.set(id, {
      run: before?.run ?? run,
      queue: set.queue ?? before?.queue ?? "default",
      state: set.state,
      ...(phase === undefined ? {} : { phase }),
      owner: set.owner === undefined ? (before?.owner ?? null) : set.owner,
      fence,
      lease: before?.lease ?? 0,
    });
  }

  return {
    // Synchronous up to its return, so two commits can never interleave.
    async commit({ run, events, documents: writes = [], task, request_id, seen, admit }: Commit): Promise<Receipt> {
      const request = request_id === undefined ? undefined : key(run, request_id);
      const first = request === undefined ? undefined : receipts.get(request);
      if (first !== undefined) return { ...first, replayed: true };
      if (events.length === 0) throw new TypeError("Unexpected commit without events, expected at least one");
      const log = runs.get(run) ?? [];
      admit?.(log.slice(seen));
      for (const { kind, id, if_version } of writes) {
        const version = read(kind, id)?.version ?? 0;
        if (if_version !== undefined && if_version !== version) {
          throw new StoreConflict(
            "document",
            `Unexpected version ${if_version} of ${kind} \`${id}\`, expected ${version}`,
          );
        }
      }
      if (task !== undefined) checkTask(task);
      const numbered = events.map(
        ({ timestamp, session_id, event_type, agent_id, task_id, details }, index): LogEvent =>
          Object.freeze({
            timestamp,
            sequence: log.length + index + 1,
            session_id,
            event_type,
            agent_id,
            task_id,
            details,
          }),
      );
      for (const { kind, id, value, expires_at } of writes) {
        const version = (read(kind, id)?.version ?? 0) + 1;
        if (value === null) documents.delete(key(kind, id));
        else
          documents.set(key(kind, id), {
            version,
            value,
            expires: expires_at === undefined ? Infinity : Date.parse(expires_at),
          });
      }
      if (task !== undefined) writeTask(run, task);
      runs.set(run, [...log, ...numbered]);
      const receipt: Receipt = { events: numbered, replayed: false };
      if (request !== undefined) receipts.set(request, receipt);
      for (const watcher of watchers) queueMicrotask(() => watcher(run, log.length + numbered.length));
      return receipt;
    },

    async claim({ queue, agent, lease_ms, request_id }: ClaimRequest): Promise<Claim | undefined> {
      const request = request_id === undefined ? undefined : key(agent, request_id);
      const first = request === undefined ? undefined : claims.get(request);
      if (first !== undefined) return first;
      for (const [id, task] of tasks) {
        const free = task.state === "available" || (task.state === "claimed" && task.lease > 0 && task.lease <= now());
        if (task.queue !== queue || !free) continue;
        const lease = now() + lease_ms;
        const fence = task.fence + 1;
        tasks.set(id, { ...task, state: "claimed", owner: agent, fence, lease });
        const phase = task.phase === undefined ? {} : { phase: task.phase };
        const claim: Claim = { task: id, run: task.run, ...phase, fence, lease_until: new Date(lease).toISOString() };
        if (request !== undefined) claims.set(request, claim);
        return claim;
      }
      return undefined;
    },

    async get(kind, id) {
      const found = read(kind, id);
      return found === undefined ? undefined : { version: found.version, value: found.value };
    },

    async events(run, after, limit) {
      return (runs.get(run) ?? []).slice(after, after + limit);
    },

    async watch(onHead) {
      watchers.add(onHead);
      return () => watchers.delete(onHead);
    },

    async sweep() {
      let freed = 0;
      for (const [id, document] of documents) {
        if (document.expires <= now() && documents.delete(id)) freed += 1;
      }
      for (const [id, task] of tasks) {
        if (task.state !== "claimed" || task.lease === 0 || task.lease > now()) continue;
        tasks.set(id, { ...task, state: "available", owner: null, fence: task.fence + 1, lease: 0 });
        freed += 1;
      }
      return freed;
    },

    async close() {
      watchers.clear();
    },
  };
}
