import {
  BylawError,
  StoreConflict,
  freezeJson,
  isJsonObject,
  type DocumentWrite,
  type EventDraft,
  type Json,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type LogReader,
  type Projection,
  type Redactor,
  type Store,
} from "@bylaw/kernel";
import { currentPhases, openApprovals } from "./approval.ts";
import { fieldFits } from "./codec/envelope.ts";
import { impossible, type Fold } from "./fold.ts";
import { coordinatorState } from "./order/coordinator.ts";
import { quote } from "./quote.ts";
import type { Plan } from "./run-contract.ts";
import { createReading, type Trace } from "./reading.ts";
import { openDelivery, type Delivery } from "./sinks.ts";
import { lastSitting, neverBefore, openingEvents } from "./sitting.ts";
import { createSnapshots } from "./snapshot.ts";

/** How often a write is tried again because other writers were quicker. */
export const ATTEMPTS = 8;
/** How often a session tries to begin: once for each that may open the log at the same moment. */
const OPENINGS = 100;
/** How often an event is dated anew because one of another process was dated later and written sooner. */
const DATINGS = 10;
/** Who an event is about. */
export type Who = { readonly agent?: Json | undefined; readonly task?: Json | undefined };

/** What must hold for events to be appended. */
interface Condition {
  /** The log as the decision was made on it. */
  readonly before?: Fold;
  /** Whether another writer's event makes the drafts obsolete. */
  readonly stale?: (event: Trace) => boolean;
  readonly documents?: readonly DocumentWrite[];
}

/** What is durable. */
export interface Appended {
  readonly events: readonly LogEvent[];
  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  readonly written: Promise<void>;
}

/** One log: what follows from it, and the way to add to it. */
export interface Journal {
  readonly session: string;
  /** The state after the events read so far. */
  readonly fold: Fold;
  /** The time of the clock, but none before one that is on record. Throws BYLAW_EVENT_INVALID where the clock gives none. */
  time(): string;
  /** An event as it will stand in the log. Throws what a redactor throws, and BYLAW_EVENT_INVALID where it leaves no object. */
  draft(event_type: string, who: Who, details: JsonObject): EventDraft;
  /**
   * Resolves when the events are durable. Throws a StoreConflict where they came too late, BYLAW_EVENT_REFUSED,
   * BYLAW_RUN_SUPERSEDED, and BYLAW_RUN_CLOSED.
   */
  append(drafts: readonly EventDraft[], condition?: Condition): Promise<Appended>;
  /** Reads what other writers appended. */
  catchUp(): Promise<void>;
  /** Waits for what is under way, and closes the sinks. */
  close(): Promise<void>;
}

interface JournalOptions {
  readonly run: string;
  readonly store: Store;
  readonly session: string;
  readonly join: boolean;
  readonly plan: Plan | undefined;
  readonly now: () => string;
  readonly onError: (error: unknown) => void;
}

/** Opens a log and its sinks, and records that a session begins or resumes it. Throws what the store and required sinks throw. */
export async function openJournal(kernel: Kernel, options: JournalOptions): Promise<Journal> {
  const { run, store, join, plan, now, onError } = options;
  const { projections, guards, sinks, redactors } = kernel.declared;
  // One that two plugins declare is folded once.
  const folded = new Set([lastSitting, openApprovals, currentPhases, coordinatorState, ...projections] as readonly Projection<unknown>[]);
  const snapshots = createSnapshots(store, run, [...folded]);
  let { session } = options;
  const flights = new Set<Promise<unknown>>();
  let delivery: Delivery | undefined;
  let latest: string | undefined;
  let closing: Promise<void> | undefined;
  // Sinks are told where events are folded: in the order of the log, and only of the events of this session.
  const log = createReading(store, run, await snapshots.load(), (events, { view }) => {
    const own = events.filter(({ session_id }) => session_id === session);
    if (own.length > 0) delivery?.tell(own, view);
  });

  // A clock that was set back makes no log run backwards, not even between two events that are both on their way.
  function time(): string {
    const at: unknown = now();
    // A time that nobody can read is after none, so that nothing would ever expire.
    if (!isTime(at)) throw timeless(at);
    latest = neverBefore(neverBefore(at, log.fold.view(lastSitting)?.at), latest);
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

  async function commit(drafts: readonly EventDraft[], { before = log.fold, stale, documents = [] }: Condition, opening = false) {
    // What was read since the decision was made is held against it here; the store adds what nobody has read.
    const known = log.since(before);
    const seen = known === undefined ? before.head : log.fold.head;
    const kept = snapshots.due(log.fold, log.fold.view(lastSitting)?.link ?? "");
    let dated = drafts;
    for (let left = DATINGS; ; left -= 1) {
      // A store may ask several times: only what it was refused with in the end counts.
      let outdated: { readonly by: string; readonly error: StoreConflict } | undefined;
      const admit = (unseen: readonly LogEvent[]): void => {
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
        const { events } = await store.commit({ run, events: dated, documents: [...documents, ...kept], seen, admit });
        const first = events[0]?.sequence ?? 1;
        await log.catchUp(first - 1);
        if (log.fold.head < first - 1) throw new Error(`Unexpected end of the log at ${log.fold.head}, expected the events up to ${first}`);
        log.take(events);
        return events;
      } catch (error) {
        if (outdated === undefined || outdated.error !== error) throw error;
        const timestamp = neverBefore(time(), outdated.by);
        dated = dated.map((event) => ({ ...event, timestamp }));
      }
    }
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
        return await commit(drafts, { stale: () => true }, true);
      } catch (error) {
        if (!(error instanceof StoreConflict) || attempts === OPENINGS) throw error;
        await log.catchUp();
      }
    }
  }

  async function append(drafts: readonly EventDraft[], condition: Condition = {}): Promise<Appended> {
    if (closing !== undefined) throw new BylawError({ code: "BYLAW_RUN_CLOSED", message: "Unexpected event of a run that was closed" });
    const flight = commit(drafts, condition);
    flights.add(flight);
    try {
      const events = await flight;
      return { events, written: opened.written(events) };
    } catch (error) {
      // So that it does not read all of the other session's events again with every call.
      if (error instanceof BylawError && error.code === "BYLAW_RUN_SUPERSEDED") await log.catchUp().catch(onError);
      throw error;
    } finally {
      flights.delete(flight);
      if (flights.size === 0) opened.forget();
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(flights);
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
    append,
    catchUp: () => log.catchUp(),
    close: () => (closing ??= close()),
  };
}

function redacted(event: EventDraft, redact: Redactor): EventDraft {
  const left = freezeJson(redact(event));
  if (isJsonObject(left)) return Object.freeze({ ...event, details: left });
  const message = `Unexpected details of \`${event.event_type}\` that a redactor left, expected an object`;
  throw new BylawError({ code: "BYLAW_EVENT_INVALID", message });
}

const isTime = (at: unknown): at is string =>
  typeof at === "string" && fieldFits({ timestamp: at }, "timestamp") && !Number.isNaN(Date.parse(at));

function timeless(at: unknown): BylawError {
  const message = `Unexpected time ${quote(String(at))} of the clock, expected an RFC 3339 time`;
  return new BylawError({
    code: "BYLAW_EVENT_INVALID",
    message,
    fix: "let `now` of the run return one, such as `new Date().toISOString()`",
  });
}

const late = (): StoreConflict => new StoreConflict("seen", "Unexpected event of another writer");

function refusal({ draft, rule, guard, message }: NonNullable<ReturnType<typeof impossible>>): BylawError {
  const text = `Unexpected event \`${draft.event_type}\`: ${message}`;
  return new BylawError({ code: "BYLAW_EVENT_REFUSED", message: text, fix: `see rule ${rule} of ${guard}` });
}
