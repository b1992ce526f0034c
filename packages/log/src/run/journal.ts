import {
  BylawError,
  freezeJson,
  type EventDraft,
  type JsonObject,
  type Kernel,
  type LogEvent,
} from "@bylaw/kernel";
import type { LogReader } from "../state/declared.ts";
import { StoreConflict, type Claim } from "@bylaw/store";
import { ChainGuard } from "../integrity/chain-guard.ts";
import { isChainBroken } from "../integrity/follow-chain.ts";
import { HeadKeeper } from "../integrity/kept-head.ts";
import { createSeals } from "../integrity/seal.ts";
import { lifecyclesIn } from "../state/lifecycle.ts";
import { createLogState, type LogState } from "../state/log-state.ts";
import { guardsOf, projectionsOf } from "../state/projections.ts";
import { currentSession } from "../state/session.ts";
import { createBrokenJournal } from "./broken-journal.ts";
import { Delivery } from "./delivery.ts";
import { EventWriter } from "./event-writer.ts";
import { InFlight } from "./in-flight.ts";
import type {
  Appended,
  ClaimDraft,
  Condition,
  Journal,
  JournalOptions,
  TaskRequest,
  AgentAndTask,
} from "./journal-contract.ts";
import { redacted } from "./journal-errors.ts";
import { LogFollower } from "./log-follower.ts";
import { openingEvents } from "./opening-events.ts";
import { RunClock } from "./run-clock.ts";
import { Snapshots } from "./snapshot.ts";

/** How often a session tries to begin: once for each process that may open the log at the same moment. */
const OPENINGS = 100;

/**
 * Opens a log and its sinks, and records that a session begins or resumes it. Throws what the store and required sinks throw. With
 * `onBreak`, a log that was changed is opened too, and refuses everything.
 */
export async function openJournal(kernel: Kernel, options: JournalOptions): Promise<Journal> {
  const { chain } = options;
  if (chain?.onBreak === undefined) return LogJournal.open(kernel, options);
  const { onBreak } = chain;
  let broken: BylawError | undefined;
  const once = (error: BylawError): void => {
    if (broken === undefined) onBreak(error);
    broken = error;
  };
  try {
    return await LogJournal.open(kernel, { ...options, chain: { ...chain, onBreak: once } });
  } catch (error) {
    if (!isChainBroken(error)) throw error;
    once(error);
    return createBrokenJournal(error, createLogState(projectionsOf(kernel)), options.session);
  }
}

/** What a journal loads before it is opened. */
interface Loaded {
  readonly snapshots: Snapshots;
  readonly start: LogState;
}

class LogJournal implements Journal {
  readonly #kernel: Kernel;
  readonly #options: JournalOptions;
  readonly #log: LogFollower;
  readonly #writer: EventWriter;
  readonly #clock: RunClock;
  readonly #flights = new InFlight();
  #session: string;
  #delivery: Delivery | undefined;
  #chainGuard: ChainGuard | undefined;
  #closing: Promise<void> | undefined;

  static async open(kernel: Kernel, options: JournalOptions): Promise<Journal> {
    const { run, store, chain, onError } = options;
    const seals = chain && createSeals(chain.secrets);
    const keeper =
      seals &&
      new HeadKeeper({
        store,
        run,
        seals,
        file: chain?.head_file,
        node: globalThis.crypto.randomUUID(),
      });
    await keeper?.load();
    const snapshots = new Snapshots({ store, run, projections: projectionsOf(kernel), seals });
    const journal = new LogJournal(kernel, options, { snapshots, start: await snapshots.load() });
    await journal.catchUp();
    if (keeper !== undefined) {
      const log = journal.#log;
      const catchUp = (): Promise<void> => log.catchUp();
      journal.#chainGuard = new ChainGuard({ keeper, head: () => log.head, catchUp, onError });
      await journal.#chainGuard.opened();
    }
    await journal.#openSinks();
    return journal;
  }

  private constructor(kernel: Kernel, options: JournalOptions, { snapshots, start }: Loaded) {
    const { run, store, session, now, chain } = options;
    this.#kernel = kernel;
    this.#options = options;
    this.#session = session;
    this.#clock = new RunClock(now);
    this.#log = new LogFollower({
      store,
      run,
      start,
      onEvents: (events, { view }) => this.#tell(events, view),
      onBreak: chain && (chain.onBreak ?? (() => {})),
    });
    this.#writer = new EventWriter({
      guards: guardsOf(kernel),
      run,
      store,
      snapshots,
      log: this.#log,
      clock: this.#clock,
      session: () => this.#session,
      underLoad: () => this.#flights.several,
    });
  }

  get session(): string {
    return this.#session;
  }

  get state(): LogState {
    return this.#log.state;
  }

  time(): string {
    return this.#clock.time(this.state.view(currentSession)?.at);
  }

  draft(event_type: string, { agent, task }: AgentAndTask, details: JsonObject): EventDraft {
    const whole: EventDraft = {
      timestamp: this.time(),
      session_id: this.#session,
      event_type,
      // The agent and task of a malformed subject can be anything.
      agent_id: typeof agent === "string" ? agent : null,
      task_id: typeof task === "string" ? task : null,
      details: freezeJson(details) as JsonObject,
    };
    return this.#kernel.declared.redactors.reduce(redacted, Object.freeze(whole));
  }

  async append(drafts: readonly EventDraft[], condition: Condition = {}): Promise<Appended> {
    const [receipt, written] = await this.#inFlight(
      () => this.#writer.commit(drafts, condition),
      ({ events }) => events,
    );
    return { ...receipt, written };
  }

  async claim(
    request: TaskRequest,
    event: ClaimDraft,
  ): Promise<(Pick<Appended, "written"> & { readonly claim: Claim }) | undefined> {
    const [claim, written] = await this.#inFlight(
      () => this.#writer.claim(request, event),
      (taken) => (taken === undefined ? [] : [taken.event]),
    );
    return claim && { claim, written };
  }

  catchUp(): Promise<void> {
    return this.#log.catchUp();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#flights.over();
    await this.#delivery?.close();
    await this.#chainGuard?.close().catch(this.#options.onError);
  }

  async #openSinks(): Promise<void> {
    const { run, store, join, onError } = this.#options;
    // Sinks must get the session that was joined.
    const current = this.state.view(currentSession)?.session;
    if (join && current !== undefined) this.#session = current;
    const session = (): string => this.#session;
    const reader: LogReader = Object.freeze({
      run,
      get session() {
        return session();
      },
      events: (after: number, limit: number) => store.events(run, after, limit),
    });
    const { declared, deadline_ms } = this.#kernel;
    this.#delivery = await Delivery.open(declared.sinks, reader, { deadline_ms, onError });
    try {
      await this.#delivery.written(await this.#begin());
    } catch (error) {
      await this.#delivery.close().catch(onError);
      await this.#chainGuard?.close().catch(onError);
      throw error;
    }
  }

  // When several processes open a log at once, one begins it. The others resume it one after the other, or join.
  async #begin(): Promise<readonly LogEvent[]> {
    const { join, plan } = this.#options;
    const lifecycles = lifecyclesIn(this.#kernel.declared.projections);
    for (let attempts = 1; ; attempts += 1) {
      const current = this.state.view(currentSession)?.session;
      if (join && current !== undefined) this.#session = current;
      if (current === this.#session) return [];
      const drafts = openingEvents(this.state.view, lifecycles, plan).map(
        ({ event_type, task_id, details }) => this.draft(event_type, { task: task_id }, details),
      );
      try {
        return (await this.#writer.commit(drafts, { stale: () => true }, { opening: true })).events;
      } catch (error) {
        if (!(error instanceof StoreConflict) || attempts === OPENINGS) throw error;
        await this.catchUp();
      }
    }
  }

  // Sinks get events in the order of the log, and only those of this session.
  #tell(events: readonly LogEvent[], view: LogState["view"]): void {
    const own = events.filter(({ session_id }) => session_id === this.#session);
    if (own.length > 0) this.#delivery?.tell(own, view);
    this.#chainGuard?.grew();
  }

  async #inFlight<T>(
    work: () => Promise<T>,
    eventsOf: (done: T) => readonly LogEvent[],
  ): Promise<readonly [T, Promise<void>]> {
    if (this.#closing !== undefined || this.#delivery === undefined)
      throw new BylawError({ code: "BYLAW_RUN_CLOSED", message: "The run is closed" });
    this.#flights.begin();
    try {
      const done = await work();
      return [done, this.#delivery.written(eventsOf(done))];
    } catch (error) {
      // Without this, every further call would read the other session's events again.
      if (error instanceof BylawError && error.code === "BYLAW_RUN_SUPERSEDED")
        await this.#log.catchUp().catch(this.#options.onError);
      throw error;
    } finally {
      this.#flights.end();
      if (this.#flights.none) this.#delivery.forget();
    }
  }
}
