import { randomUUID } from "node:crypto";
import type { LogEvent } from "@bylaw/kernel";
import { runAdmit } from "@bylaw/log";
import type { Receipt } from "@bylaw/store";
import type { Query } from "./database.ts";
import { LockedDocuments, lockDocuments } from "./documents.ts";
import { readEvents } from "./events.ts";
import { LogWrites, lockLogs, type Ends } from "./logs.ts";
import type { PendingCommit } from "./pending-commit.ts";
import { sendRows } from "./rows.ts";
import { LockedTasks, lockTasks } from "./tasks.ts";

/** What a commit is answered once its batch is durable. */
export type Outcome = Receipt | { readonly error: unknown };

/** Commits that one transaction writes, and all that they write. */
export interface Batch {
  readonly id: string;
  /** A commit without an outcome has to be sent again. */
  readonly outcomes: ReadonlyMap<PendingCommit, Outcome>;
  readonly logs: LogWrites;
  readonly locked?: Locked;
}

/** Numbers of the first and the last event of a commit with a request id. */
interface ReceiptRow {
  readonly run: string;
  readonly request_id: string;
  readonly first: number;
  readonly last: number;
}

interface Locked {
  readonly tasks: LockedTasks;
  readonly logs: LogWrites;
  readonly documents: LockedDocuments;
  /** The receipts of the database, and those of this batch with their events. */
  readonly receipts: Map<string, ReceiptRow & { readonly events?: readonly LogEvent[] }>;
  /** Which batches, of those whose answer was lost, were written. */
  readonly written: ReadonlySet<string>;
}

/**
 * Decides about commits on the known ends of their logs. `undefined` if one of them depends on more than its place in the log, is refused,
 * or cannot be decided, all of which takes locks.
 */
export function planBatch(commits: readonly PendingCommit[], ends: Ends): Batch | undefined {
  const logs = new LogWrites(ends);
  const outcomes = new Map<PendingCommit, Outcome>();
  const none = { tasks: new LockedTasks([], 0), documents: new LockedDocuments([]) };
  for (const pending of commits) {
    const { run, task, request, attempts, commit } = pending;
    if (task !== undefined || request !== undefined || attempts.length > 0) return undefined;
    const end = ends.get(run);
    if (end === undefined || (commit.documents ?? []).length > 0) return undefined;
    // Its writer may have read another process's event at the place of one that this batch adds, and must not be shown both.
    if (commit.admit !== undefined && logs.head(run) > end.sequence) return undefined;
    const outcome = decide(pending, { ...none, logs, receipts: new Map() });
    if (outcome === undefined || "error" in outcome) return undefined;
    outcomes.set(pending, outcome);
  }
  return { id: randomUUID(), outcomes, logs };
}

/** Locks all that commits depend on, and decides about them one after the other. */
export async function lockBatch(
  query: Query,
  commits: readonly PendingCommit[],
  lock_timeout_ms: number,
): Promise<Batch> {
  const outcomes = new Map<PendingCommit, Outcome>();
  void query("select {schema}.begin_write($1)", [lock_timeout_ms]);
  const locked = await lock(query, commits);
  for (const pending of commits) {
    const outcome = (await earlier(query, pending, locked)) ?? decide(pending, locked);
    if (outcome !== undefined) outcomes.set(pending, outcome);
  }
  return { id: randomUUID(), outcomes, logs: locked.logs, locked };
}

/** Sends the statements that write a batch, without waiting for them, so that they arrive together with the end of the transaction. */
export function sendBatch(
  query: Query,
  { id, logs, locked }: Batch,
  lock_timeout_ms: number,
): void {
  void logs.send(query, id, lock_timeout_ms);
  if (locked === undefined) return;
  locked.tasks.send(query);
  locked.documents.send(query);
  const receipts = [...locked.receipts.values()].filter(({ events }) => events !== undefined);
  void sendRows(
    query,
    "insert into {schema}.receipts (run, request_id, first, last) select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])",
    receipts.map(({ run, request_id, first, last }) => [run, request_id, first, last]),
  );
}

/** Locks everything in one order: tasks, runs, documents, each by key. What is written together with a run is read after that. */
async function lock(query: Query, commits: readonly PendingCommit[]): Promise<Locked> {
  const taskKeys = commits.flatMap(({ task }) => task ?? []);
  const writes = commits.flatMap(({ commit }) => commit.documents ?? []);
  const asked = commits.filter(({ request }) => request !== undefined);
  const attempts = commits.flatMap(({ run, attempts: all }) =>
    all.map(({ batch, last }) => ({ run, batch, last })),
  );
  const [tasks, logs, documents, receipts, written] = await Promise.all([
    lockTasks(query, taskKeys),
    lockLogs(query, commits),
    lockDocuments(query, writes),
    sendRows<ReceiptRow>(
      query,
      `select r.run, r.request_id, r.first, r.last from unnest($1::text[], $2::text[]) u(run, request_id)
        join {schema}.receipts r on r.run = u.run and r.request_id = u.request_id`,
      asked.map(({ run, request }) => [run, request]),
    ),
    sendRows<{ readonly batch: string }>(
      query,
      `select distinct s.batch from unnest($1::text[], $2::bigint[], $3::uuid[]) u(run, last, batch)
        join {schema}.segments s on s.run = u.run and s.last = u.last and s.batch = u.batch`,
      attempts.map(({ run, last, batch }) => [run, last, batch]),
    ),
  ]);
  return {
    tasks,
    logs,
    documents,
    receipts: new Map(receipts.map((row) => [keyOfRequest(row.run, row.request_id), row])),
    written: new Set(written.map(({ batch }) => batch)),
  };
}

const keyOfRequest = (run: string, request: string): string => JSON.stringify([run, request]);

/** The receipt of a commit that an earlier batch or an earlier commit has written. */
async function earlier(
  query: Query,
  { run, request, commit, attempts, resolve }: PendingCommit,
  { receipts, written }: Locked,
): Promise<Receipt | undefined> {
  const attempt = attempts.find(({ batch }) => written.has(batch));
  if (attempt !== undefined) {
    const receipt = { events: attempt.events, replayed: false };
    // It is durable, so it does not have to wait for this batch, whose answer may be lost too.
    resolve(receipt);
    return receipt;
  }
  const receipt = request === undefined ? undefined : receipts.get(keyOfRequest(run, request));
  if (receipt === undefined) return undefined;
  const { first, last } = receipt;
  const events =
    receipt.events ?? (await readEvents(query, commit.run, first - 1, last - first + 1));
  return { events, replayed: true };
}

/** Writes a commit, or refuses it. `undefined`: there are more unseen events than are read at once. */
function decide(
  pending: PendingCommit,
  { tasks, logs, documents, receipts }: Omit<Locked, "written">,
): Outcome | undefined {
  const { run, task: key, request, commit } = pending;
  const { admit, task, documents: writes = [] } = commit;
  try {
    const unseen = admit === undefined ? [] : logs.unseen(pending);
    if (unseen === undefined) return undefined;
    runAdmit(admit, () => unseen);
    documents.check(writes);
    if (key !== undefined && task !== undefined) tasks.check(key, task);
  } catch (error) {
    return { error };
  }
  documents.write(writes);
  if (key !== undefined && task !== undefined) tasks.write(key, run, task);
  const events = logs.append(pending);
  if (request !== undefined) {
    const last = logs.head(run);
    const first = last - events.length + 1;
    receipts.set(keyOfRequest(run, request), { run, request_id: request, first, last, events });
  }
  return { events, replayed: false };
}
