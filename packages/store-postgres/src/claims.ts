import { randomUUID } from "node:crypto";
import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { eventBody, runAdmit } from "@bylaw/log";
import type { Claim, ClaimRequest, ExpiredLease } from "@bylaw/store";
import type { Database, Query } from "./database.ts";
import { readEvents } from "./events.ts";
import { CallerError } from "./failures.ts";
import { lockLogs, type LogWrites } from "./logs.ts";
import type { LongNames } from "./long-names.ts";
import { fromStored, keyOf, toStored } from "./names.ts";
import { pendingCommit } from "./pending-commit.ts";

type OnEvent = (run: string, key: string, event: LogEvent) => void;

interface TakenRow {
  readonly task: string;
  readonly run: string;
  readonly phase: string | null;
  readonly fence: number;
  readonly lease_until: number;
}

type ClaimRow = TakenRow & { readonly sequence: number };
type OverdueRow = Pick<TakenRow, "task" | "run" | "fence"> & { readonly owner: string | null };

const SWEPT = 100;
/** The latest time that a Date can hold, in milliseconds since 1970. */
const FOREVER = 8_640_000_000_000_000;

const OVERDUE =
  "state = 'claimed' and lease_until > 0 and lease_until <= (select {schema}.now_ms())";
/** Locks a task, as it will be when it is claimed. Another claim passes over it. */
const TAKE = (which: string, order: string): string =>
  `select id as task, run, phase, fence + 1 as fence, (select {schema}.now_ms()) + $2 as lease_until from {schema}.tasks
    where queue = $1 and ${which} order by ${order} limit 1 for update skip locked`;
const TAKE_OVERDUE = TAKE(OVERDUE, "lease_until");
const TAKE_AVAILABLE = TAKE("state = 'available'", "place");

/** Rolls back the transaction if no task is available, so that the request id can be used again. */
class NoTask extends Error {}

type Recorded = readonly [run: string, key: string, event: LogEvent];

/** Gives tasks to agents and takes them back. */
export class Claims {
  readonly #database: Database;
  readonly #names: LongNames;
  readonly #onEvent: OnEvent;

  /** `onEvent` is called with every event that is recorded for a claim or a sweep. */
  constructor(database: Database, names: LongNames, onEvent: OnEvent) {
    this.#database = database;
    this.#names = names;
    this.#onEvent = onEvent;
  }

  async claim(request: ClaimRequest): Promise<Claim | undefined> {
    try {
      // A repeated request id finds a claim that was written. Without an id, a retry could claim a second task.
      const claimed = await this.#database.transaction((query) => this.#take(request, query), {
        repeatable: request.request_id !== undefined,
      });
      this.#onEvent(claimed.run, keyOf(claimed.run), claimed.event);
      return claimed;
    } catch (error) {
      if (error instanceof NoTask) return undefined;
      throw error;
    }
  }

  async sweep(event: ((lease: ExpiredLease) => EventDraft) | undefined): Promise<number> {
    let freed = event === undefined ? 0 : await this.#freeAll(event);
    for (;;) {
      const documents = await this.#database.query(
        `with due as materialized (
          select kind, id from {schema}.documents
          where value is not null and expires_at is not null and expires_at <= (select {schema}.now_ms())
          order by expires_at limit $1 for update skip locked
        )
        update {schema}.documents d set value = null from due where d.kind = due.kind and d.id = due.id returning 1`,
        [SWEPT],
      );
      freed += documents.length;
      if (documents.length < SWEPT) return freed;
    }
  }

  async #take(asked: ClaimRequest, query: Query): Promise<Claim> {
    const { queue, agent, request_id, event } = asked;
    const { lock_timeout_ms } = this.#database.settings;
    const [key, request] = [keyOf(agent), request_id === undefined ? null : keyOf(request_id)];
    void query("select {schema}.begin_write($1)", [lock_timeout_ms]);
    const earlier = request === null ? undefined : await this.#earlier(key, request, query);
    if (earlier !== undefined) return earlier;
    const values = [keyOf(queue), Math.min(Math.ceil(asked.lease_ms), FOREVER)];
    const [overdue] = await query<TakenRow>(TAKE_OVERDUE, values);
    const [taken] = overdue ? [overdue] : await query<TakenRow>(TAKE_AVAILABLE, values);
    if (taken === undefined) throw new NoTask();
    const { task, run, phase, fence, lease_until } = taken;
    const given = await this.#given(taken);
    const logs = await this.#ask(asked, given, query);
    const recorded = this.#append(logs, run, () => event(given));
    void query(
      "update {schema}.tasks set state = 'claimed', owner = $2, fence = $3, lease_until = $4 where id = $1",
      [task, toStored(agent), fence, lease_until],
    );
    void logs.send(query, randomUUID(), lock_timeout_ms);
    if (request !== null)
      void query(
        `update {schema}.claims set task = $3, run = $4, phase = $5, fence = $6, lease_until = $7, sequence = $8
          where agent = $1 and request_id = $2`,
        [key, request, task, run, phase, fence, lease_until, recorded.sequence],
      );
    return { ...given, event: recorded };
  }

  /** The earlier claim of a request id. Otherwise keeps the id, so that no other claim uses it. */
  async #earlier(agent: string, request: string, query: Query): Promise<Claim | undefined> {
    const names = [agent, request];
    const [kept] = await query(
      "insert into {schema}.claims (agent, request_id) values ($1, $2) on conflict do nothing returning 1",
      names,
    );
    if (kept !== undefined) return undefined;
    const [row] = await query<ClaimRow>(
      "select task, run, phase, fence, lease_until, sequence from {schema}.claims where agent = $1 and request_id = $2",
      names,
    );
    if (row === undefined) throw new Error("The claim of a request id is missing");
    const given = await this.#given(row);
    const [event] = await readEvents(query, given.run, row.sequence - 1, 1);
    if (event === undefined) throw new Error(`Event ${row.sequence} of a claim is missing`);
    return { ...given, event };
  }

  /** Locks the task's run and asks `admit` about it. */
  async #ask(
    { seen = 0, admit }: ClaimRequest,
    given: Omit<Claim, "event">,
    query: Query,
  ): Promise<LogWrites> {
    const commit = {
      ...{ run: given.run, events: [], seen },
      ...(admit && { admit: (events: readonly LogEvent[]) => admit(events, given) }),
    };
    const pending = pendingCommit(commit, this.#names);
    for (;;) {
      const logs = await lockLogs(query, [pending]);
      const unseen = admit === undefined ? [] : logs.unseen(pending);
      if (unseen === undefined) continue;
      called(() => runAdmit(pending.commit.admit, () => unseen));
      return logs;
    }
  }

  #append(logs: LogWrites, run: string, draft: () => EventDraft): LogEvent {
    const [event] = logs.append({ run, bodies: [called(() => eventBody(draft()))] });
    return event as LogEvent;
  }

  async #given({ task, run, fence, phase, lease_until }: TakenRow): Promise<Omit<Claim, "event">> {
    return {
      task: await this.#names.nameOf(task),
      run: await this.#names.nameOf(run),
      fence,
      lease_until: new Date(Math.min(lease_until, FOREVER)).toISOString(),
      ...(phase === null ? {} : { phase: fromStored(phase) }),
    };
  }

  async #freeAll(event: (lease: ExpiredLease) => EventDraft): Promise<number> {
    for (let freed = 0; ;) {
      const some = await this.#database.transaction((query) => this.#free(event, query));
      for (const recorded of some) this.#onEvent(...recorded);
      freed += some.length;
      if (some.length < SWEPT) return freed;
    }
  }

  async #free(
    event: (lease: ExpiredLease) => EventDraft,
    query: Query,
  ): Promise<readonly Recorded[]> {
    const { lock_timeout_ms } = this.#database.settings;
    void query("select {schema}.begin_write($1)", [lock_timeout_ms]);
    const rows = await query<OverdueRow>(
      `select id as task, run, owner, fence + 1 as fence from {schema}.tasks where ${OVERDUE}
        order by lease_until limit $1 for update skip locked`,
      [SWEPT],
    );
    if (rows.length === 0) return [];
    const leases: (readonly [key: string, lease: ExpiredLease])[] = [];
    for (const { task, run, owner, fence } of rows) {
      const names = { task: await this.#names.nameOf(task), run: await this.#names.nameOf(run) };
      leases.push([run, { ...names, owner: fromStored(owner ?? ""), fence }]);
    }
    const logs = await lockLogs(
      query,
      leases.map(([, { run }]) => pendingCommit({ run, events: [], seen: 0 }, this.#names)),
    );
    const recorded = leases.map(
      ([key, lease]) => [lease.run, key, this.#append(logs, key, () => event(lease))] as const,
    );
    void query(
      "update {schema}.tasks set state = 'available', owner = null, fence = fence + 1, lease_until = 0 where id = any ($1)",
      [rows.map(({ task }) => task)],
    );
    void logs.send(query, randomUUID(), lock_timeout_ms);
    return recorded;
  }
}

/** Calls a function of the caller. Rethrows what it throws as a CallerError. */
function called<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CallerError(error);
  }
}
