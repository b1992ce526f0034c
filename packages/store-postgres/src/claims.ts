import { omitUndefined, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { askAdmit, bodyOf } from "@bylaw/log";
import type { Claim, ClaimRequest, ExpiredLease } from "@bylaw/store";
import type { Database, Query } from "./database.ts";
import { eventOf, readEvents } from "./events.ts";
import { CallerError } from "./failures.ts";
import type { LongNames } from "./long-names.ts";
import { fromStored, keyOf, toStored } from "./names.ts";

/** Gives tasks to agents and takes them back. `onEvent` is told of every event that is recorded on the way. */
export interface Claims {
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  sweep(event: ((lease: ExpiredLease) => EventDraft) | undefined): Promise<number>;
}

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

const SWEPT = 100;
const PAGE = 5_000;
/** The text of what a caller wants on record, or what it threw. */
function recordOf(draft: () => EventDraft): string {
  try {
    return bodyOf(draft()).text;
  } catch (error) {
    throw new CallerError(error);
  }
}

/** The last moment that a date can name. */
const FOREVER = 8_640_000_000_000_000;

export function createClaims(database: Database, names: LongNames, onEvent: OnEvent): Claims {
  const { lock_timeout_ms } = database.settings;

  /** Undoes the transaction where there is no task: a request id that came to nothing may come again. */
  class NoTask extends Error {}

  /** Asks whether a task may be claimed, about its run as it stays until the claim is written. */
  async function ask(
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
      askAdmit(
        (events) => admit(events, given),
        () => unseen,
      );
    } catch (error) {
      throw new CallerError(error);
    }
  }

  async function take(asked: ClaimRequest, query: Query): Promise<Claim> {
    const { queue, agent, lease_ms, request_id, event } = asked;
    const [key, request] = [keyOf(agent), request_id === undefined ? null : keyOf(request_id)];
    const [taken] = await query<TakenRow>("select * from {schema}.take_task($1, $2, $3, $4, $5)", [
      ...[lock_timeout_ms, keyOf(queue), key, Math.min(Math.ceil(lease_ms), FOREVER), request],
    ]);
    if (taken === undefined) throw new NoTask();
    const { fence, sequence, replayed } = taken;
    const phase = taken.phase === null ? undefined : fromStored(taken.phase);
    const given = {
      ...{ task: await names.nameOf(taken.task), run: await names.nameOf(taken.run), fence },
      ...{
        lease_until: new Date(Math.min(taken.lease_until, FOREVER)).toISOString(),
        ...omitUndefined({ phase }),
      },
    };
    if (replayed) {
      const [recorded] = await readEvents(query, given.run, (sequence ?? 0) - 1, 1);
      if (recorded === undefined)
        throw new Error(`Event ${String(sequence)} of a claim is missing`);
      return { ...given, event: recorded };
    }
    await ask(asked, taken.run, given, query);
    const text = recordOf(() => event(given));
    const [row] = await query<{ readonly sequence: number; readonly link: string }>(
      "select * from {schema}.claim_task($1, $2, $3, $4, $5, $6, $7, $8)",
      [...[key, toStored(agent), request, taken.task, taken.run, fence, taken.lease_until, text]],
    );
    if (row === undefined) throw new Error("claim_task returned no row");
    const recorded = eventOf({ ...row, text });
    return { ...given, event: recorded };
  }

  async function claim(request: ClaimRequest): Promise<Claim | undefined> {
    try {
      // Under a request id a claim that was written is found again; without one nobody may try twice.
      const claimed = await database.transaction((query) => take(request, query), {
        repeatable: request.request_id !== undefined,
      });
      onEvent(claimed.run, keyOf(claimed.run), claimed.event);
      return claimed;
    } catch (error) {
      if (error instanceof NoTask) return undefined;
      throw error;
    }
  }

  type Recorded = readonly [run: string, key: string, event: LogEvent];

  async function free(
    event: (lease: ExpiredLease) => EventDraft,
    query: Query,
  ): Promise<readonly Recorded[]> {
    const rows = await query<{
      readonly task: string;
      readonly run: string;
      readonly owner: string;
      readonly fence: number;
    }>("select * from {schema}.take_overdue($1, $2)", [lock_timeout_ms, SWEPT]);
    if (rows.length === 0) return [];
    const texts: string[] = [];
    for (const { task, run, owner, fence } of rows) {
      const lease = {
        task: await names.nameOf(task),
        run: await names.nameOf(run),
        owner: fromStored(owner),
        fence,
      };
      texts.push(recordOf(() => event(lease)));
    }
    const heads = await query<{
      readonly run: string;
      readonly sequence: number;
      readonly link: string;
    }>("select * from {schema}.free_tasks($1, $2, $3)", [
      rows.map(({ task }) => task),
      rows.map(({ run }) => run),
      texts,
    ]);
    const recorded: Recorded[] = [];
    for (const [at, { run, ...row }] of heads.entries()) {
      recorded.push([await names.nameOf(run), run, eventOf({ ...row, text: texts[at] ?? "" })]);
    }
    return recorded;
  }

  async function freeAll(event: (lease: ExpiredLease) => EventDraft): Promise<number> {
    for (let freed = 0; ;) {
      const some = await database.transaction((query) => free(event, query));
      for (const recorded of some) onEvent(...recorded);
      freed += some.length;
      if (some.length < SWEPT) return freed;
    }
  }

  return {
    claim,
    async sweep(event) {
      let freed = event === undefined ? 0 : await freeAll(event);
      for (;;) {
        const [row] = await database.query<{ readonly freed: number }>(
          "select {schema}.free_documents($1, $2) as freed",
          [lock_timeout_ms, SWEPT],
        );
        freed += row?.freed ?? 0;
        if ((row?.freed ?? 0) < SWEPT) return freed;
      }
    },
  };
}
