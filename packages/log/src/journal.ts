import {
  BylawError,
  StoreConflict,
  freezeJson,
  type DocumentWrite,
  type EventDraft,
  type Json,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type LogReader,
  type Projection,
  type Store,
} from "@bylaw/kernel";
import { currentPhases, openApprovals } from "./approval.ts";
import { impossible, type Fold } from "./fold.ts";
import type { Plan } from "./run-contract.ts";
import { openDelivery, type Delivery } from "./sinks.ts";
import { lastSitting, neverBefore, openingEvents } from "./sitting.ts";
import { createSnapshots } from "./snapshot.ts";

/** How often a write is tried again because other writers were quicker. */
export const ATTEMPTS = 8;
const PAGE = 1_000;

/** Who an event is about. */
export type Who = { readonly agent?: Json | undefined; readonly task?: Json | undefined };

/** What must hold for events to be appended. */
export interface Condition {
  /** The log as the decision was made on it. */
  readonly before?: Fold;
  /** Whether another writer's event makes the drafts obsolete. */
  readonly stale?: (event: LogEvent) => boolean;
  readonly documents?: readonly DocumentWrite[];
}

/** One log: what follows from it, and the way to add to it. */
export interface Journal {
  readonly session: string;
  /** The state after the events read so far. */
  readonly fold: Fold;
  /** An event as it will stand in the log. Throws what a redactor throws. */
  draft(event_type: string, who: Who, details: JsonObject): EventDraft;
  /** Resolves when the events are durable. Throws a StoreConflict where they came too late, and BYLAW_EVENT_REFUSED. */
  append(drafts: readonly EventDraft[], condition?: Condition): Promise<readonly LogEvent[]>;
  /** Reads what other writers appended. */
  catchUp(): Promise<void>;
  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  written(events: readonly LogEvent[]): Promise<void>;
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
  const snapshots = createSnapshots(store, run, [
    lastSitting,
    openApprovals,
    currentPhases,
    ...projections,
  ] as readonly Projection<unknown>[]);
  let { session } = options;
  let fold = await snapshots.load();
  let delivery: Delivery | undefined;

  // Sinks are told where events are folded: in the order of the log, and only of the events of this session.
  function advance(events: readonly LogEvent[]): void {
    const fresh = events.filter(({ sequence }) => sequence > fold.head);
    fold = fold.add(fresh);
    const own = fresh.filter(({ session_id }) => session_id === session);
    if (own.length > 0) delivery?.tell(own, fold.view);
  }

  async function catchUp(until = Infinity): Promise<void> {
    while (fold.head < until) {
      const page = await store.events(run, fold.head, Math.min(PAGE, until - fold.head));
      if (page.length === 0) return;
      advance(page);
    }
  }

  function draft(event_type: string, { agent, task }: Who, details: JsonObject): EventDraft {
    const whole: EventDraft = {
      timestamp: neverBefore(now(), fold.view(lastSitting)),
      session_id: session,
      event_type,
      // The subject may be one that the border refused, whose fields can be anything.
      agent_id: typeof agent === "string" ? agent : null,
      task_id: typeof task === "string" ? task : null,
      details: freezeJson(details) as JsonObject,
    };
    return redactors.reduce((event, redact) => ({ ...event, details: freezeJson(redact(event)) as JsonObject }), whole);
  }

  async function commit(drafts: readonly EventDraft[], { before = fold, stale, documents = [] }: Condition, opening = false) {
    const admit = (unseen: readonly LogEvent[]): void => {
      const current = before.add(unseen);
      if (!opening) stayOn(current);
      if (stale !== undefined && unseen.some(stale)) throw new StoreConflict("seen", "Unexpected event of another writer");
      const finding = impossible(guards, current, drafts);
      if (finding === undefined) return;
      const message = `Unexpected event \`${finding.draft.event_type}\`: ${finding.message}`;
      throw new BylawError({ code: "BYLAW_EVENT_REFUSED", message, fix: `see rule ${finding.rule} of ${finding.guard}` });
    };
    const kept = snapshots.due(fold, fold.view(lastSitting)?.link ?? "");
    const { events } = await store.commit({ run, events: drafts, documents: [...documents, ...kept], seen: before.head, admit });
    await catchUp((events[0]?.sequence ?? 1) - 1);
    advance(events);
    return events;
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
      const keeper = fold.view(lastSitting)?.session;
      if (join && keeper !== undefined) session = keeper;
      if (keeper === session) return [];
      const drafts = openingEvents(fold.view, plan).map(({ event_type, task_id, details }) =>
        draft(event_type, { task: task_id }, details),
      );
      try {
        return await commit(drafts, { stale: () => true }, true);
      } catch (error) {
        if (!(error instanceof StoreConflict) || attempts === ATTEMPTS) throw error;
        await catchUp();
      }
    }
  }

  await catchUp();
  // A joined session is known before its sinks are.
  const keeper = fold.view(lastSitting)?.session;
  if (join && keeper !== undefined) session = keeper;
  const log: LogReader = {
    run,
    get session() {
      return session;
    },
    events: (after, limit) => store.events(run, after, limit),
  };
  const opened = await openDelivery(sinks, log, { deadline_ms: kernel.deadline_ms, onError });
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
      return fold;
    },
    draft,
    append: (drafts, condition = {}) => commit(drafts, condition),
    catchUp: () => catchUp(),
    written: (events) => opened.written(events),
    close: () => opened.close(),
  };
}
