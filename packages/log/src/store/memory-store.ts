import {
  checkArgument,
  freezeJson,
  omitUndefined,
  type EventDraft,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import {
  StoreConflict,
  type Claim,
  type DocumentWrite,
  type Receipt,
  type Store,
  type StoredDocument,
  type TaskWrite,
} from "@bylaw/store";
import { chain } from "../format/chain.ts";
import {
  askAdmit,
  checkClaim,
  checkCommit,
  checkDraft,
  checkPut,
  expiryOf,
  otherFence,
  storeClosed,
} from "./store-input.ts";

interface Document {
  readonly version: number;
  /** `null` once deleted: versions go on, so that a writer who saw the old one is not taken for up to date. */
  readonly value: string | null;
  readonly expires: number;
}
type Task = Required<Pick<Claim, "run" | "fence">> & {
  readonly queue: string;
  readonly state: string;
  readonly owner: string | null;
  readonly lease: number;
  readonly phase?: string;
};

/** A store in this process's memory: for tests, for one-off runs, and as the plainest reading of the contract. */
export function createMemoryStore(options: { readonly now?: () => number } = {}): Store {
  const { now = Date.now } = checkArgument("createMemoryStore", "options", options);
  const logs = new Map<string, LogEvent[]>();
  const documents = new Map<string, Document>();
  const tasks = new Map<string, Task>();
  const receipts = new Map<string, Receipt>();
  const claims = new Map<string, Claim>();
  const watchers = new Set<(run: string, head: number) => void>();
  let closed = false;
  const open = (): void => {
    if (closed) throw storeClosed();
  };
  const logOf = (run: string): readonly LogEvent[] => logs.get(run) ?? [];
  const key = (...parts: readonly string[]): string => JSON.stringify(parts);
  const live = (kind: string, id: string): StoredDocument | undefined => {
    const { version, value, expires } = documents.get(key(kind, id)) ?? {
      version: 0,
      value: null,
      expires: 0,
    };
    return value === null || expires <= now() ? undefined : { version, value };
  };
  const overdue = ({ state, lease }: Task): boolean =>
    state === "claimed" && lease > 0 && lease <= now();

  function checkVersions(writes: readonly DocumentWrite[]): void {
    for (const { kind, id, if_version } of writes) {
      const version = live(kind, id)?.version ?? 0;
      if (if_version === undefined || if_version === version) continue;
      throw new StoreConflict(
        "document",
        `The ${kind} \`${id}\` has version ${version}, not ${if_version}`,
      );
    }
  }

  function writeDocuments(writes: readonly DocumentWrite[]): void {
    for (const { kind, id, value, expires_at } of writes) {
      const version = (documents.get(key(kind, id))?.version ?? 0) + 1;
      documents.set(key(kind, id), { version, value, expires: expiryOf(expires_at) });
    }
  }

  function checkFence(task: TaskWrite): void {
    const held = tasks.get(task.id);
    if (task.fence !== (held?.fence ?? 0) || held?.fence === 0) throw otherFence(task);
    // What is not claimed has no lease.
    if (task.lease_ms !== undefined && (task.set?.state ?? held?.state) !== "claimed")
      throw otherFence(task);
  }

  function writeTask(run: string, { id, fence, lease_ms, set }: TaskWrite): void {
    const { lease = 0, ...before } = tasks.get(id) ?? {
      run,
      queue: "default",
      owner: null,
      state: "available",
    };
    if (set === undefined && lease_ms === undefined) return;
    const renewed =
      lease_ms === undefined ? lease : Math.max(set === undefined ? lease : 0, now() + lease_ms);
    tasks.set(id, { ...before, ...set, fence, lease: renewed });
  }

  const numbered = (
    last: LogEvent | undefined,
    drafts: readonly EventDraft[],
  ): readonly LogEvent[] =>
    chain(
      last,
      drafts.map((draft) => {
        checkDraft(draft);
        return { ...draft, details: freezeJson(draft.details) as JsonObject };
      }),
    );

  function append(run: string, events: readonly LogEvent[]): void {
    const log = logs.get(run) ?? [];
    for (const event of events) log.push(event);
    logs.set(run, log);
    const head = log.length;
    for (const watcher of watchers)
      queueMicrotask(() => watchers.has(watcher) && tell(watcher, run, head));
  }

  return {
    // Without an await, so two commits can never interleave.
    async commit(commit) {
      open();
      const {
        run,
        events,
        documents: writes = [],
        task,
        request_id,
        seen,
        admit,
      } = checkCommit(commit);
      const request = key(run, request_id ?? "");
      const first = request_id === undefined ? undefined : receipts.get(request);
      if (first !== undefined) return { ...first, replayed: true };
      askAdmit(admit, () => logOf(run).slice(seen));
      checkVersions(writes);
      if (task !== undefined) checkFence(task);
      const added = numbered(logOf(run).at(-1), events);
      writeDocuments(writes);
      if (task !== undefined) writeTask(run, task);
      append(run, added);
      const receipt: Receipt = { events: added, replayed: false };
      if (request_id !== undefined) receipts.set(request, receipt);
      return receipt;
    },
    async claim(wanted) {
      open();
      checkClaim(wanted);
      const { queue, agent, lease_ms, request_id, seen = 0, admit, event } = wanted;
      const request = key(agent, request_id ?? "");
      const first = request_id === undefined ? undefined : claims.get(request);
      if (first !== undefined) return first;
      const free = [...tasks].find(
        ([, task]) => task.queue === queue && (task.state === "available" || overdue(task)),
      );
      if (free === undefined) return undefined;
      const [id, task] = free;
      const held: Task = {
        ...task,
        state: "claimed",
        owner: agent,
        fence: task.fence + 1,
        lease: now() + lease_ms,
      };
      const lease_until = new Date(held.lease).toISOString();
      const given = {
        task: id,
        run: held.run,
        fence: held.fence,
        lease_until,
        ...omitUndefined({ phase: held.phase }),
      };
      askAdmit(admit && ((unseen) => admit(unseen, given)), () => logOf(held.run).slice(seen));
      const [recorded] = numbered(logOf(held.run).at(-1), [event(given)]) as readonly [LogEvent];
      tasks.set(id, held);
      append(held.run, [recorded]);
      const claim: Claim = { ...given, event: recorded };
      if (request_id !== undefined) claims.set(request, claim);
      return claim;
    },
    async put(document) {
      open();
      const write = checkPut(document);
      checkVersions([write]);
      writeDocuments([write]);
    },
    async get(kind, id) {
      open();
      return live(kind, id);
    },
    async events(run, after, limit) {
      open();
      return logOf(run).slice(after, after + limit);
    },
    async watch(onHead) {
      open();
      // One for each call: who watches twice stops twice.
      const watcher = (run: string, head: number): void => onHead(run, head);
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    async sweep(event) {
      open();
      const stale = [...documents].filter(
        ([, { value, expires }]) => value !== null && expires <= now(),
      );
      const drafts = [...tasks].flatMap(([id, task]) => {
        const fence = task.fence + 1;
        if (event === undefined || !overdue(task)) return [];
        return [
          {
            id,
            task,
            fence,
            draft: event({ task: id, run: task.run, owner: task.owner ?? "", fence }),
          },
        ];
      });
      // All events first: where one is refused, nothing has changed.
      const heads = new Map<string, LogEvent | undefined>();
      const freed = drafts.map(({ id, task, fence, draft }) => {
        const last = heads.has(task.run) ? heads.get(task.run) : logOf(task.run).at(-1);
        const [recorded] = numbered(last, [draft]) as readonly [LogEvent];
        heads.set(task.run, recorded);
        return [
          id,
          { ...task, state: "available", owner: null, fence, lease: 0 },
          recorded,
        ] as const;
      });
      for (const [id, task, recorded] of freed) {
        tasks.set(id, task);
        append(task.run, [recorded]);
      }
      for (const [id, document] of stale) documents.set(id, { ...document, value: null });
      return stale.length + freed.length;
    },
    async close() {
      closed = true;
      watchers.clear();
    },
  };
}

function tell(watcher: (run: string, head: number) => void, run: string, head: number): void {
  try {
    watcher(run, head);
  } catch {
    // A hint is for who asked for it: a watcher's own fault is no fault of the log.
  }
}
