import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { runAdmit, eventBody, type EventBody } from "@bylaw/log";
import type {
  Claim,
  ClaimRequest,
  Commit,
  DocumentWrite,
  ExpiredLease,
  Receipt,
} from "@bylaw/store";
import { createDocuments, type Documents } from "./documents.ts";
import type { Connection } from "./engine.ts";
import type { Logs } from "./logs.ts";
import type { Reads } from "./reads.ts";
import { createRequests, type Requests } from "./requests.ts";
import { createTasks, type Tasks } from "./tasks.ts";

interface WriteOptions {
  readonly db: Connection;
  readonly reads: Reads;
  readonly logs: Logs;
  readonly now: () => number;
  readonly retention_ms: number;
}

/**
 * The writes of the Store interface. Each runs inside a transaction that the caller has opened, in two steps: checks that can refuse it and
 * change nothing, then the write. So many writes can share a transaction, and a refusal affects only one.
 */
export class Writes {
  readonly #logs: Logs;
  readonly #now: () => number;
  readonly #documents: Documents;
  readonly #tasks: Tasks;
  readonly #requests: Requests;

  constructor({ db, reads: stored, logs, now, retention_ms }: WriteOptions) {
    const reads: Reads = {
      ...stored,
      // Pending events of this transaction are written before they are read.
      events(run, after, limit) {
        logs.flush(run);
        return stored.events(run, after, limit);
      },
    };
    this.#logs = logs;
    this.#now = now;
    this.#documents = createDocuments(db, reads);
    this.#tasks = createTasks(db);
    this.#requests = createRequests(db, reads, now, retention_ms);
  }

  /** `bodies`: the commit's events at the time of the call. */
  commit(commit: Commit, bodies: readonly EventBody[]): () => Receipt {
    const { run, documents = [], task, request_id, seen, admit } = commit;
    const first = request_id === undefined ? undefined : this.#requests.receipt(run, request_id);
    if (first !== undefined) return () => first;
    runAdmit(admit, () => this.#logs.after(run, seen));
    this.#documents.check(documents);
    if (task !== undefined) this.#tasks.check(task);
    const { events, write } = this.#logs.prepare(run, bodies);
    return () => {
      this.#documents.write(documents);
      if (task !== undefined) this.#tasks.write(run, task, this.#now());
      write();
      if (request_id !== undefined) this.#requests.keepReceipt(run, request_id, events);
      return { events, replayed: false };
    };
  }

  put(document: DocumentWrite): () => void {
    this.#documents.check([document]);
    return () => this.#documents.write([document]);
  }

  claim(request: ClaimRequest): () => Claim | undefined {
    const { queue, agent, lease_ms, request_id, seen = 0, admit, event } = request;
    const first = request_id === undefined ? undefined : this.#requests.claim(agent, request_id);
    if (first !== undefined) return () => first;
    const at = this.#now();
    const task = this.#tasks.free(queue, at);
    if (task === undefined) return () => undefined;
    const lease_until = at + lease_ms;
    const given = this.#tasks.claimOf(task, lease_until);
    runAdmit(admit && ((unseen) => admit(unseen, given)), () => this.#logs.after(given.run, seen));
    const { events, write } = this.#logs.prepare(given.run, [eventBody(event(given))]);
    return () => {
      this.#tasks.take(task, agent, lease_until);
      write();
      const claim = { ...given, event: events[0] as LogEvent };
      if (request_id !== undefined) this.#requests.keepClaim(agent, request_id, claim);
      return claim;
    };
  }

  sweep(event: ((lease: ExpiredLease) => EventDraft) | undefined): () => number {
    const at = this.#now();
    const late =
      event === undefined
        ? []
        : this.#tasks.late(at).map((one) => ({ ...one, body: eventBody(event(one.lease)) }));
    const byRun = Map.groupBy(late, ({ lease }) => lease.run);
    const appendices = [...byRun].map(([run, own]) => {
      const bodies = own.map(({ body }) => body);
      return this.#logs.prepare(run, bodies);
    });
    return () => {
      for (const { position } of late) this.#tasks.release(position);
      for (const { write } of appendices) write();
      this.#requests.forget();
      return late.length + this.#documents.expire(at);
    };
  }
}
