import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { runAdmit, eventBody } from "@bylaw/log";
import type { Claim, ClaimRequest, ExpiredLease } from "@bylaw/store";
import type { Database, Query } from "./database.ts";
import { eventOf, readEvents } from "./events.ts";
import { CallerError } from "./failures.ts";
import type { LongNames } from "./long-names.ts";
import { fromStored, keyOf, toStored } from "./names.ts";

type OnEvent = (run: string, key: string, event: LogEvent) => void;

interface TakenRow {
  readonly replayed: boolean;
  readonly task: string;
  readonly run: string;
  readonly phase: string | null;
  readonly fence: number;
  readonly lease_until: number;
  readonly sequence: number | null;
}

type OverdueRow = Pick<TakenRow, "task" | "run" | "fence"> & { readonly owner: string };

interface HeadRow {
  readonly run: string;
  readonly sequence: number;
  readonly link: string;
}

const SWEPT = 100;
const PAGE = 5_000;
/** The JSON text of the event that `draft` returns. Rethrows what `draft` throws as a CallerError. */
function recordOf(draft: () => EventDraft): string {
  try {
    return eventBody(draft()).text;
  } catch (error) {
    throw new CallerError(error);
  }
}

/** The latest time that a Date can hold, in milliseconds since 1970. */
const FOREVER = 8_640_000_000_000_000;

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
      const [row] = await this.#database.query<{ readonly freed: number }>(
        "select {schema}.free_documents($1, $2) as freed",
        [this.#database.settings.lock_timeout_ms, SWEPT],
      );
      freed += row?.freed ?? 0;
      if ((row?.freed ?? 0) < SWEPT) return freed;
    }
  }

  async #take(asked: ClaimRequest, query: Query): Promise<Claim> {
    const { queue, agent, lease_ms, request_id, event } = asked;
    const { lock_timeout_ms } = this.#database.settings;
    const [key, request] = [keyOf(agent), request_id === undefined ? null : keyOf(request_id)];
    const lease = Math.min(Math.ceil(lease_ms), FOREVER);
    const [taken] = await query<TakenRow>("select * from {schema}.take_task($1, $2, $3, $4, $5)", [
      lock_timeout_ms,
      keyOf(queue),
      key,
      lease,
      request,
    ]);
    if (taken === undefined) throw new NoTask();
    const given = await this.#given(taken);
    const { fence, sequence } = taken;
    if (taken.replayed) {
      const [recorded] = await readEvents(query, given.run, (sequence ?? 0) - 1, 1);
      if (recorded === undefined)
        throw new Error(`Event ${String(sequence)} of a claim is missing`);
      return { ...given, event: recorded };
    }
    await askClaim(asked, taken.run, given, query);
    const text = recordOf(() => event(given));
    const [row] = await query<{ readonly sequence: number; readonly link: string }>(
      "select * from {schema}.claim_task($1, $2, $3, $4, $5, $6, $7, $8)",
      [key, toStored(agent), request, taken.task, taken.run, fence, taken.lease_until, text],
    );
    if (row === undefined) throw new Error("claim_task returned no row");
    return { ...given, event: eventOf({ ...row, text }) };
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
    const rows = await query<OverdueRow>("select * from {schema}.take_overdue($1, $2)", [
      lock_timeout_ms,
      SWEPT,
    ]);
    if (rows.length === 0) return [];
    const texts: string[] = [];
    for (const { task, run, owner, fence } of rows) {
      const names = { task: await this.#names.nameOf(task), run: await this.#names.nameOf(run) };
      texts.push(recordOf(() => event({ ...names, owner: fromStored(owner), fence })));
    }
    const heads = await query<HeadRow>("select * from {schema}.free_tasks($1, $2, $3)", [
      rows.map(({ task }) => task),
      rows.map(({ run }) => run),
      texts,
    ]);
    const recorded: Recorded[] = [];
    for (const [at, { run, ...row }] of heads.entries()) {
      const name = await this.#names.nameOf(run);
      recorded.push([name, run, eventOf({ ...row, text: texts[at] ?? "" })]);
    }
    return recorded;
  }
}

/** Asks `admit` about a task's run, whose row stays locked until the claim is written. */
async function askClaim(
  { seen = 0, admit }: ClaimRequest,
  key: string,
  given: Omit<Claim, "event">,
  query: Query,
): Promise<void> {
  if (admit === undefined) return;
  const [head] = await query<{ readonly sequence: number }>(
    "select sequence from {schema}.runs where run = $1 for update",
    [key],
  );
  const unseen: LogEvent[] = [];
  const until = head?.sequence ?? 0;
  for (let at = seen; at < until; at = unseen.at(-1)?.sequence ?? until) {
    unseen.push(...(await readEvents(query, given.run, at, Math.min(PAGE, until - at))));
  }
  try {
    runAdmit(
      (events) => admit(events, given),
      () => unseen,
    );
  } catch (error) {
    throw new CallerError(error);
  }
}
