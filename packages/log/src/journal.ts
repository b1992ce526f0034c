import {
  BylawError,
  StoreConflict,
  freezeJson,
  present,
  type Claim,
  type EventDraft,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type LogReader,
  type Projection,
  type Receipt,
} from "@bylaw/kernel";
import { agentTurns } from "./agents/turns.ts";
import { currentPhases, openApprovals } from "./approval.ts";
import { impossible, type Fold } from "./fold.ts";
import { coordinatorState } from "./order/coordinator.ts";
import type { ClaimDraft, Condition, Journal, JournalOptions, TaskRequest, Who } from "./journal-contract.ts";
import { isTime, late, redacted, refusal, strange, timeless } from "./journal-errors.ts";
import { createReading } from "./reading.ts";
import { openDelivery, type Delivery } from "./sinks.ts";
import { policiesOnRecord } from "./policies.ts";
import { lastSitting, neverBefore, openingEvents } from "./sitting.ts";
import { createSnapshots } from "./snapshot.ts";
import { Underway } from "./underway.ts";

/** How often a write is tried again because other writers were quicker. */
export const ATTEMPTS = 8;
/** How often a session tries to begin: once for each that may open the log at the same moment. */
const OPENINGS = 100;
/** How often an event is dated anew because one of another process was dated later and written sooner. */
const DATINGS = 10;
/** Opens a log and its sinks, and records that a session begins or resumes it. Throws what the store and required sinks throw. */
export async function openJournal(kernel: Kernel, options: JournalOptions): Promise<Journal> {
  const { run, store, join, plan, now, onError } = options;
  const { projections, guards, sinks, redactors } = kernel.declared;
  // One that two plugins declare is folded once.
  const folded = new Set([
    lastSitting,
    openApprovals,
    currentPhases,
    coordinatorState,
    agentTurns,
    policiesOnRecord,
    ...projections,
  ] as readonly Projection<unknown>[]);
  const snapshots = createSnapshots(store, run, [...folded]);
  let { session } = options;
  const flights = new Underway();
  let delivery: Delivery | undefined;
  let latest: string | undefined;
  let asked: { readonly at?: string; readonly last?: string | undefined } = {};
  let closing: Promise<void> | undefined;
  // Sinks are told where events are folded: in the order of the log, and only of the events of this session.
  const log = createReading(store, run, await snapshots.load(), (events, { view }) => {
    const own = events.filter(({ session_id }) => session_id === session);
    if (own.length > 0) delivery?.tell(own, view);
  });

  // A clock that was set back makes no log run backwards, not even between two events that are both on their way.
  function time(): string {
    const at: unknown = now();
    const last = log.fold.view(lastSitting)?.at;
    // It is asked for several times a millisecond, and to read a time takes a while.
    if (latest !== undefined && at === asked.at && last === asked.last) return latest;
    // A time that nobody can read is after none, so that nothing would ever expire.
    if (!isTime(at)) throw timeless(at);
    asked = { at, last };
    latest = neverBefore(neverBefore(at, last), latest);
    return latest;
  }

  function draft(event_type: string, { agent, task }: Who, details: JsonObject): EventDraft {
    const whole: EventDraft = {
      timestamp: time(),
      session_id: session,
      event_type,
      // The subject may be one that the border refused, whose fields can be anything.
      agent_id: typeof agent === "string" ? agent : null,
      task_id: typeof task === "string" ? task : null,
      details: freezeJson(details) as JsonObject,
    };
    return redactors.reduce(redacted, Object.freeze(whole));
  }

  async function commit(drafts: readonly EventDraft[], condition: Condition, opening = false): Promise<Receipt> {
    const { before = log.fold, stale, documents = [], task, request_id } = condition;
    // What was read since the decision was made is held against it here; the store adds what nobody has read.
    const known = log.since(before);
    const seen = known === undefined ? before.head : log.fold.head;
    const kept = snapshots.due(log.fold, log.fold.view(lastSitting)?.link ?? "", flights.several);
    let dated = drafts;
    for (let left = DATINGS; ; left -= 1) {
      // A store may ask several times: only what it was refused with in the end counts.
      let outdated: { readonly by: string; readonly error: StoreConflict } | undefined;
      let shown: readonly LogEvent[] = [];
      const admit = (unseen: readonly LogEvent[]): void => {
        shown = unseen;
        const current = log.ahead(unseen);
        if (!opening) stayOn(current);
        if (stale !== undefined && (known?.some(stale) === true || unseen.some(stale))) throw late();
        const finding = impossible(guards, current, dated);
        if (finding !== undefined) throw refusal(finding);
        const at = unseen.at(-1)?.timestamp;
        if (left === 0 || at === undefined || dated.every(({ timestamp }) => neverBefore(timestamp, at) === timestamp)) return;
        outdated = { by: at, error: late() };
        throw outdated.error;
      };
      try {
        const rest = present({ task, request_id });
        const receipt = await store.commit({ run, events: dated, documents: [...documents, ...kept], ...rest, seen, admit });
        if (log.fold.head >= (receipt.events[0]?.sequence ?? 1) - 1) log.take(receipt.events);
        else await takeUp(receipt.events, receipt.replayed ? [] : shown);
        if (receipt.replayed) await stillOn();
        return receipt;
      } catch (error) {
        if (outdated === undefined || outdated.error !== error) throw error;
        const timestamp = ahead(neverBefore(time(), outdated.by), DATINGS - left);
        dated = dated.map((event) => ({ ...event, timestamp }));
      }
    }
  }

  async function take(request: TaskRequest, event: ClaimDraft): Promise<Claim | undefined> {
    let current: Fold | undefined;
    let shown: readonly LogEvent[] = [];
    const claim = await store.claim({
      ...request,
      seen: log.fold.head,
      admit(unseen, wanted) {
        if (wanted.run !== run) throw strange(wanted, run);
        shown = unseen;
        current = log.ahead(unseen);
        stayOn(current);
      },
      event(wanted) {
        const drafted = event(wanted);
        const on = current ?? log.fold;
        const dated = { ...drafted, timestamp: neverBefore(drafted.timestamp, on.view(lastSitting)?.at) };
        const finding = impossible(guards, on, [dated]);
        if (finding !== undefined) throw refusal(finding);
        return dated;
      },
    });
    if (claim === undefined) return undefined;
    if (claim.run !== run) throw strange(claim, run);
    await takeUp([claim.event], current === undefined ? [] : shown);
    if (current === undefined) await stillOn();
    return claim;
  }

  // What was answered before the store answers without asking, so it is asked here whether this session goes on.
  async function stillOn(): Promise<void> {
    await log.catchUp();
    stayOn(log.fold);
  }

  /**
   * Folds events that are durable, and those before them. `shown`: what their writer was shown last, which is as durable as what
   * stands behind it in one chain.
   */
  async function takeUp(events: readonly LogEvent[], shown: readonly LogEvent[]): Promise<void> {
    const first = events[0]?.sequence ?? 1;
    // At once where all that is between is known: of the receipts of one batch none should read what the others hold.
    const known = (shown[0]?.sequence ?? Infinity) <= log.fold.head + 1 && shown.at(-1)?.sequence === first - 1;
    if (known && log.fold.head < first - 1) {
      log.take(shown);
      // So that a sink is told of others' events apart: where it fails at them, nothing of ours is denied.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (log.fold.head < first - 1) await log.catchUp(first - 1);
    if (log.fold.head < first - 1) throw new Error(`Unexpected end of the log at ${log.fold.head}, expected the events up to ${first}`);
    log.take(events);
  }

  // Two sessions at once would be no order: the one that was taken over records no more.
  function stayOn({ view }: Fold): void {
    const keeper = view(lastSitting)?.session ?? session;
    if (keeper === session) return;
    const message = `Unexpected event of session \`${session}\`, expected one of \`${keeper}\`, which took the run over`;
    throw new BylawError({ code: "BYLAW_RUN_SUPERSEDED", message, fix: "open the run again, or join the session that keeps it" });
  }

  // Of several that open a log at once one begins it; the others resume it, one after the other, or join.
  async function begin(): Promise<readonly LogEvent[]> {
    for (let attempts = 1; ; attempts += 1) {
      const keeper = log.fold.view(lastSitting)?.session;
      if (join && keeper !== undefined) session = keeper;
      if (keeper === session) return [];
      const drafts = openingEvents(log.fold.view, plan).map(({ event_type, task_id, details }) =>
        draft(event_type, { task: task_id }, details),
      );
      try {
        return (await commit(drafts, { stale: () => true }, true)).events;
      } catch (error) {
        if (!(error instanceof StoreConflict) || attempts === OPENINGS) throw error;
        await log.catchUp();
      }
    }
  }

  async function fly<T>(depart: () => Promise<T>, eventsOf: (landed: T) => readonly LogEvent[]): Promise<readonly [T, Promise<void>]> {
    if (closing !== undefined) throw new BylawError({ code: "BYLAW_RUN_CLOSED", message: "Unexpected event of a run that was closed" });
    flights.begin();
    try {
      const landed = await depart();
      return [landed, opened.written(eventsOf(landed))];
    } catch (error) {
      // So that it does not read all of the other session's events again with every call.
      if (error instanceof BylawError && error.code === "BYLAW_RUN_SUPERSEDED") await log.catchUp().catch(onError);
      throw error;
    } finally {
      flights.end();
      if (flights.none) opened.forget();
    }
  }

  async function close(): Promise<void> {
    await flights.over();
    await opened.close();
  }

  await log.catchUp();
  // A joined session is known before its sinks are.
  const keeper = log.fold.view(lastSitting)?.session;
  if (join && keeper !== undefined) session = keeper;
  const reader: LogReader = Object.freeze({
    run,
    get session() {
      return session;
    },
    events: (after: number, limit: number) => store.events(run, after, limit),
  });
  const opened = await openDelivery(sinks, reader, { deadline_ms: kernel.deadline_ms, onError });
  delivery = opened;
  try {
    await opened.written(await begin());
  } catch (error) {
    await opened.close().catch(onError);
    throw error;
  }

  return {
    get session() {
      return session;
    },
    get fold() {
      return log.fold;
    },
    time,
    draft,
    async append(drafts, condition = {}) {
      const [receipt, written] = await fly(
        () => commit(drafts, condition),
        ({ events }) => events,
      );
      return { ...receipt, written };
    },
    async claim(request, event) {
      const [claim, written] = await fly(
        () => take(request, event),
        (taken) => (taken === undefined ? [] : [taken.event]),
      );
      return claim && { claim, written };
    },
    catchUp: () => log.catchUp(),
    close: () => (closing ??= close()),
  };
}

// Who writes before every try dates by the same clock: a try that is dated a little ahead is one that they are behind. A millisecond,
// and each time twice as much, is soon more than passes between two of their events.
function ahead(timestamp: string, tries: number): string {
  return tries === 0 ? timestamp : new Date(Date.parse(timestamp) + 2 ** (tries - 1)).toISOString();
}
