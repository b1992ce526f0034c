import type { Claim, ClaimRequest, Commit, EventDraft, ExpiredLease, LogEvent, Receipt } from "@bylaw/kernel";
import { askAdmit } from "@bylaw/log";
import { createAppend } from "./appender.ts";
import { createDocuments } from "./documents.ts";
import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";
import { createRequests } from "./requests.ts";
import { createTasks } from "./tasks.ts";

/** One transaction's worth of work: where it stands in the order of writes, and what grew. */
export interface Turn {
  /** The number of this write among all of the file's. */
  readonly touched: number;
  readonly grow: (run: string, head: number) => void;
}

/** The writes of the contract, each inside of a transaction that the caller opened. */
export interface Writes {
  commit(turn: Turn, commit: Commit): Receipt;
  claim(turn: Turn, request: ClaimRequest): Claim | undefined;
  sweep(turn: Turn, event: (lease: ExpiredLease) => EventDraft): number;
}

export function createWrites(db: Connection, reads: Reads, now: () => number, retention_ms: number): Writes {
  const append = createAppend(db);
  const documents = createDocuments(db, reads);
  const tasks = createTasks(db);
  const requests = createRequests(db, reads, now, retention_ms);

  function record({ touched, grow }: Turn, run: string, drafts: readonly EventDraft[]): readonly LogEvent[] {
    const events = append(run, drafts, touched);
    grow(run, events.at(-1)?.sequence ?? 0);
    return events;
  }

  return {
    commit(turn, { run, events: drafts, documents: puts = [], task, request_id, seen, admit }) {
      const first = request_id === undefined ? undefined : requests.receipt(run, request_id);
      if (first !== undefined) return first;
      askAdmit(admit, () => reads.events(run, seen, Infinity));
      documents.check(puts);
      if (task !== undefined) tasks.check(task);
      documents.write(puts);
      if (task !== undefined) tasks.write(run, task);
      const events = record(turn, run, drafts);
      if (request_id !== undefined) requests.keepReceipt(run, request_id, events);
      return { events, replayed: false };
    },
    claim(turn, { queue, agent, lease_ms, request_id, event }) {
      const first = request_id === undefined ? undefined : requests.claim(agent, request_id);
      if (first !== undefined) return first;
      const at = now();
      const given = tasks.claim(queue, agent, at, at + lease_ms);
      if (given === undefined) return undefined;
      const [recorded] = record(turn, given.run, [event(given)]) as readonly [LogEvent];
      const claim = { ...given, event: recorded };
      if (request_id !== undefined) requests.keepClaim(agent, request_id, claim);
      return claim;
    },
    sweep(turn, event) {
      const at = now();
      const freed = tasks.expire(at);
      for (const lease of freed) record(turn, lease.run, [event(lease)]);
      requests.forget();
      return freed.length + documents.expire(at);
    },
  };
}
