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
import { createDocuments } from "./documents.ts";
import type { Connection } from "./engine.ts";
import type { Logs } from "./logs.ts";
import type { Reads } from "./reads.ts";
import { createRequests } from "./requests.ts";
import { createTasks } from "./tasks.ts";

/**
 * The writes of the Store interface. Each runs inside a transaction that the caller has opened, in two steps: checks that can refuse it and
 * change nothing, then the write. So many writes can share a transaction, and a refusal affects only one.
 */
export interface Writes {
  /** `bodies`: the commit's events at the time of the call. */
  commit(commit: Commit, bodies: readonly EventBody[]): () => Receipt;
  put(document: DocumentWrite): () => void;
  claim(request: ClaimRequest): () => Claim | undefined;
  sweep(event: ((lease: ExpiredLease) => EventDraft) | undefined): () => number;
}

interface WriteOptions {
  readonly db: Connection;
  readonly reads: Reads;
  readonly logs: Logs;
  readonly now: () => number;
  readonly retention_ms: number;
}

export function createWrites({ db, reads: stored, logs, now, retention_ms }: WriteOptions): Writes {
  const reads: Reads = {
    ...stored,
    // Pending events of this transaction are written before they are read.
    events(run, after, limit) {
      logs.flush(run);
      return stored.events(run, after, limit);
    },
  };
  const documents = createDocuments(db, reads);
  const tasks = createTasks(db);
  const requests = createRequests(db, reads, now, retention_ms);
  return {
    commit({ run, documents: puts = [], task, request_id, seen, admit }, bodies) {
      const first = request_id === undefined ? undefined : requests.receipt(run, request_id);
      if (first !== undefined) return () => first;
      runAdmit(admit, () => logs.after(run, seen));
      documents.check(puts);
      if (task !== undefined) tasks.check(task);
      const { events, write } = logs.prepare(run, bodies);
      return () => {
        documents.write(puts);
        if (task !== undefined) tasks.write(run, task, now());
        write();
        if (request_id !== undefined) requests.keepReceipt(run, request_id, events);
        return { events, replayed: false };
      };
    },
    put(document) {
      documents.check([document]);
      return () => documents.write([document]);
    },
    claim({ queue, agent, lease_ms, request_id, seen = 0, admit, event }) {
      const first = request_id === undefined ? undefined : requests.claim(agent, request_id);
      if (first !== undefined) return () => first;
      const at = now();
      const task = tasks.free(queue, at);
      if (task === undefined) return () => undefined;
      const lease_until = at + lease_ms;
      const given = tasks.claimOf(task, lease_until);
      runAdmit(admit && ((unseen) => admit(unseen, given)), () => logs.after(given.run, seen));
      const { events, write } = logs.prepare(given.run, [eventBody(event(given))]);
      return () => {
        tasks.take(task, agent, lease_until);
        write();
        const claim = { ...given, event: events[0] as LogEvent };
        if (request_id !== undefined) requests.keepClaim(agent, request_id, claim);
        return claim;
      };
    },
    sweep(event) {
      const at = now();
      const late =
        event === undefined
          ? []
          : tasks.late(at).map((one) => ({ ...one, body: eventBody(event(one.lease)) }));
      const bodies = new Map<string, EventBody[]>();
      for (const { lease, body } of late)
        bodies.set(lease.run, [...(bodies.get(lease.run) ?? []), body]);
      const appendices = [...bodies].map(([run, own]) => logs.prepare(run, own));
      return () => {
        for (const { position } of late) tasks.release(position);
        for (const { write } of appendices) write();
        requests.forget();
        return late.length + documents.expire(at);
      };
    },
  };
}
