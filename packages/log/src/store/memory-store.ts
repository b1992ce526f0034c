import { checkArgument, omitUndefined, type EventDraft, type LogEvent } from "@bylaw/kernel";
import {
  StoreConflict,
  type Claim,
  type ClaimRequest,
  type Commit,
  type DocumentWrite,
  type ExpiredLease,
  type Receipt,
  type Store,
  type StoredDocument,
  type TaskWrite,
} from "@bylaw/store";
import { chainEvents } from "../format/chain.ts";
import {
  runAdmit,
  checkClaim,
  checkCommit,
  checkPut,
  checkedDraft,
  expiryOf,
  otherFenceConflict,
  storeClosed,
} from "./store-input.ts";

interface Document {
  readonly version: number;
  /** `null` once deleted. The version still counts, so a writer that saw the old document is out of date. */
  readonly value: string | null;
  readonly expires: number;
}

interface Task extends Required<Pick<Claim, "run" | "fence">> {
  readonly queue: string;
  readonly state: string;
  readonly owner: string | null;
  /** When the lease ends; 0 without a lease. */
  readonly lease: number;
  readonly phase?: string;
}

type OnHead = (run: string, head: number) => void;

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);

/** Creates a store in the memory of this process, for tests and one-off runs. It is also the simplest implementation of the contract. */
export function createMemoryStore(options: { readonly now?: () => number } = {}): Store {
  const { now = Date.now } = checkArgument("createMemoryStore", "options", options);
  const memory = new Memory(now);
  return {
    // Nothing is awaited, so two commits can never interleave.
    commit: async (commit) => memory.commit(commit),
    claim: async (request) => memory.claim(request),
    put: async (document) => memory.put(document),
    get: async (kind, id) => memory.get(kind, id),
    events: async (run, after, limit) => memory.events(run, after, limit),
    watch: async (onHead) => memory.watch(onHead),
    sweep: async (event) => memory.sweep(event),
    close: async () => memory.close(),
  };
}

class Memory {
  readonly #now: () => number;
  readonly #logs = new Map<string, LogEvent[]>();
  readonly #documents = new Map<string, Document>();
  readonly #tasks = new Map<string, Task>();
  readonly #receipts = new Map<string, Receipt>();
  readonly #claims = new Map<string, Claim>();
  readonly #watchers = new Set<OnHead>();
  #closed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  commit(commit: Commit): Receipt {
    this.#checkOpen();
    const { run, events, documents = [], task, request_id, seen, admit } = checkCommit(commit);
    const request = keyOf(run, request_id ?? "");
    const first = request_id === undefined ? undefined : this.#receipts.get(request);
    if (first !== undefined) return { ...first, replayed: true };
    runAdmit(admit, () => this.#logOf(run).slice(seen));
    this.#checkVersions(documents);
    if (task !== undefined) this.#checkFence(task);
    const added = chainEvents(this.#logOf(run).at(-1), events);
    this.#writeDocuments(documents);
    if (task !== undefined) this.#writeTask(run, task);
    this.#append(run, added);
    const receipt: Receipt = { events: added, replayed: false };
    if (request_id !== undefined) this.#receipts.set(request, receipt);
    return receipt;
  }

  claim(wanted: ClaimRequest): Claim | undefined {
    this.#checkOpen();
    checkClaim(wanted);
    const { queue, agent, lease_ms, request_id, seen = 0, admit, event } = wanted;
    const request = keyOf(agent, request_id ?? "");
    const first = request_id === undefined ? undefined : this.#claims.get(request);
    if (first !== undefined) return first;
    const [id, task] =
      [...this.#tasks].find(
        ([, one]) => one.queue === queue && (one.state === "available" || this.#isOverdue(one)),
      ) ?? [];
    if (id === undefined || task === undefined) return undefined;
    const { run, phase } = task;
    const [fence, lease] = [task.fence + 1, this.#now() + lease_ms];
    const lease_until = new Date(lease).toISOString();
    const given = { task: id, run, fence, lease_until, ...omitUndefined({ phase }) };
    runAdmit(admit && ((unseen) => admit(unseen, given)), () => this.#logOf(run).slice(seen));
    const recorded = this.#nextEvent(this.#logOf(run).at(-1), event(given));
    this.#tasks.set(id, { ...task, state: "claimed", owner: agent, fence, lease });
    this.#append(run, [recorded]);
    const claim: Claim = { ...given, event: recorded };
    if (request_id !== undefined) this.#claims.set(request, claim);
    return claim;
  }

  put(document: DocumentWrite): void {
    this.#checkOpen();
    const write = checkPut(document);
    this.#checkVersions([write]);
    this.#writeDocuments([write]);
  }

  get(kind: string, id: string): StoredDocument | undefined {
    this.#checkOpen();
    return this.#find(kind, id);
  }

  events(run: string, after: number, limit: number): readonly LogEvent[] {
    this.#checkOpen();
    return this.#logOf(run).slice(after, after + limit);
  }

  watch(onHead: OnHead): () => void {
    this.#checkOpen();
    // A new function for each call, so that adding the same callback twice needs two removals.
    const watcher: OnHead = (run, head) => onHead(run, head);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  sweep(event?: (lease: ExpiredLease) => EventDraft): number {
    this.#checkOpen();
    const expired = [...this.#documents].filter(
      ([, { value, expires }]) => value !== null && expires <= this.#now(),
    );
    const overdue =
      event === undefined ? [] : [...this.#tasks].filter(([, task]) => this.#isOverdue(task));
    const drafts = overdue.map(([id, { run, owner, fence }]) =>
      event?.({ task: id, run, owner: owner ?? "", fence: fence + 1 }),
    );
    // Events come first: if one is refused, nothing has changed.
    const heads = new Map<string, LogEvent | undefined>();
    const recorded = overdue.map(([, { run }], at) => {
      const last = heads.has(run) ? heads.get(run) : this.#logOf(run).at(-1);
      const next = this.#nextEvent(last, drafts[at] as EventDraft);
      heads.set(run, next);
      return next;
    });
    for (const [at, [id, task]] of overdue.entries()) {
      const fence = task.fence + 1;
      this.#tasks.set(id, { ...task, state: "available", owner: null, fence, lease: 0 });
      this.#append(task.run, recorded.slice(at, at + 1));
    }
    for (const [id, document] of expired) this.#documents.set(id, { ...document, value: null });
    return expired.length + overdue.length;
  }

  close(): void {
    this.#closed = true;
    this.#watchers.clear();
  }

  #checkOpen(): void {
    if (this.#closed) throw storeClosed();
  }

  #logOf(run: string): readonly LogEvent[] {
    return this.#logs.get(run) ?? [];
  }

  #find(kind: string, id: string): StoredDocument | undefined {
    const { version, value, expires } = this.#documents.get(keyOf(kind, id)) ?? {
      version: 0,
      value: null,
      expires: 0,
    };
    return value === null || expires <= this.#now() ? undefined : { version, value };
  }

  #isOverdue({ state, lease }: Task): boolean {
    return state === "claimed" && lease > 0 && lease <= this.#now();
  }

  #checkVersions(writes: readonly DocumentWrite[]): void {
    for (const { kind, id, if_version } of writes) {
      const version = this.#find(kind, id)?.version ?? 0;
      if (if_version === undefined || if_version === version) continue;
      const message = `The ${kind} \`${id}\` has version ${version}, not ${if_version}`;
      throw new StoreConflict("document", message);
    }
  }

  #writeDocuments(writes: readonly DocumentWrite[]): void {
    for (const { kind, id, value, expires_at } of writes) {
      const key = keyOf(kind, id);
      const version = (this.#documents.get(key)?.version ?? 0) + 1;
      this.#documents.set(key, { version, value, expires: expiryOf(expires_at) });
    }
  }

  #checkFence(task: TaskWrite): void {
    const held = this.#tasks.get(task.id);
    if (task.fence !== (held?.fence ?? 0) || held?.fence === 0) throw otherFenceConflict(task);
    // Only a claimed task has a lease.
    if (task.lease_ms !== undefined && (task.set?.state ?? held?.state) !== "claimed")
      throw otherFenceConflict(task);
  }

  #writeTask(run: string, { id, fence, lease_ms, set }: TaskWrite): void {
    if (set === undefined && lease_ms === undefined) return;
    const { lease = 0, ...before } = this.#tasks.get(id) ?? {
      run,
      queue: "default",
      owner: null,
      state: "available",
    };
    const least = set === undefined ? lease : 0;
    const renewed = lease_ms === undefined ? lease : Math.max(least, this.#now() + lease_ms);
    this.#tasks.set(id, { ...before, ...set, fence, lease: renewed });
  }

  #nextEvent(last: LogEvent | undefined, draft: EventDraft): LogEvent {
    const [event] = chainEvents(last, [checkedDraft(draft)]) as readonly [LogEvent];
    return event;
  }

  #append(run: string, events: readonly LogEvent[]): void {
    const log = this.#logs.get(run) ?? [];
    for (const event of events) log.push(event);
    this.#logs.set(run, log);
    const head = log.length;
    for (const watcher of this.#watchers)
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) tell(watcher, run, head);
      });
  }
}

function tell(watcher: OnHead, run: string, head: number): void {
  try {
    watcher(run, head);
  } catch {
    // A watcher that throws must not fail the commit.
  }
}
