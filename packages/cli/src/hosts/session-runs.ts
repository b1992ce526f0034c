import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HeldAnswer, Judge, SessionEvent, ToolReturn } from "@bylaw/host";
import { EVENT_TYPES, recordOf } from "@bylaw/host/events";
import {
  omitUndefined,
  type Decision,
  type Kernel,
  type LogEvent,
  type Response,
  type ToolCall,
} from "@bylaw/kernel";
import {
  asksPerson,
  callQuestionId,
  endOf,
  openRun,
  type AskOptions,
  type Outcome,
  type Run,
} from "@bylaw/log";
import { MESSAGE_EVENTS } from "@bylaw/orchestrator/message-events";
import type { Store } from "@bylaw/store";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { storePlace } from "../log/open-store.ts";
import { makeStoreFolder } from "../run/store-folder.ts";
import { answerTo } from "./answer-to.ts";
import { recordReturned } from "./record-returned.ts";
import { runOfSession } from "./session-name.ts";

/** The run of a session, and what its host leaves to Bylaw. */
export interface SessionPlace {
  /** The name of the host. */
  readonly host: string;
  readonly run: string;
  /** Whether calls that no rule covers become questions. If not, the host decides about them. */
  readonly strict: boolean;
  /** Whether the host itself can ask a person. */
  readonly asks: boolean;
  /** How long the hook waits for an answer, in milliseconds. Left out if it does not wait. */
  readonly wait_ms?: number | undefined;
}

interface SessionRunsOptions {
  readonly kernel: Kernel;
  /** Absolute path of the configuration. The store is beside it. */
  readonly config: string;
  /** Whether runs stay open between calls. */
  readonly kept: boolean;
}

interface Opened {
  readonly run: Run;
  readonly store: Store;
}

interface Session {
  readonly opened: Promise<Opened>;
  users: number;
  /** When the session was last used, in milliseconds since 1970. */
  usedAt: number;
  /** Whether a call failed. A failed session is not used again; the next call opens the store anew. */
  failed: boolean;
}

/** The kind of the documents that name the run in which a sub-agent started. */
const STARTED_IN = "host_subagent";

const TYPES = [...EVENT_TYPES, ...MESSAGE_EVENTS];

/** Milliseconds after which a run that nobody uses is closed. */
const IDLE_MS = 300_000;

/** The runs of all sessions under one configuration. Each method throws if it cannot open its run, so that the call is denied. */
export class SessionRuns {
  readonly #options: SessionRunsOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionRunsOptions) {
    this.#options = options;
  }

  /** Decides and records a call. A question that the host cannot ask is recorded by {@link SessionRuns.record} instead. */
  decide(
    call: ToolCall,
    place: SessionPlace,
    options: Pick<AskOptions, "offered"> = {},
  ): Promise<Decision> {
    return this.#within(place, async ({ run }, session) => {
      if (!place.asks) {
        const { kernel } = this.#options;
        const look = await kernel.decide({ ...call, run: run.run }, run.view);
        const isLeft = !place.strict && look.code === "fallback";
        // With an offer, the host may run another call, so the log needs to show what became of this one.
        if (look.applied === "ask_user" && !isLeft && look.instead === undefined) return look;
      }
      return (await toolCall(run, call, session, place, options)).decision;
    });
  }

  /** Records a question, or uses the answer to it. A call with the same id is recorded once. */
  record(call: ToolCall, place: SessionPlace): ReturnType<Judge["record"]> {
    return this.#within(place, async ({ run }, session) => {
      const { decision, events } = await toolCall(run, call, session, place);
      const [event] = events;
      const question = event === undefined ? "ID" : callQuestionId(run.run, event);
      const { config } = this.#options;
      const where = `--store ${this.#store} --run ${run.run} --config ${config}`;
      return { decision, answer_with: `\`bylaw approve yes ${question} ${where} --by NAME\`` };
    });
  }

  /**
   * Records a question and waits for its answer, or uses an answer that is there already. Undefined if none came in time. When `ended` is
   * aborted, nothing waits any more, and the question expires.
   */
  hold(call: ToolCall, place: SessionPlace, ended: AbortSignal): Promise<HeldAnswer | undefined> {
    return this.#within(place, async ({ run, store }, session) => {
      const { wait_ms = 0 } = place;
      const about = { ...call, interactive: place.asks };
      const { decision, events } = await toolCall(run, about, session, place);
      const [asked] = events;
      if (asked === undefined || !asksPerson(asked)) return { decision };
      const answered = new AbortController();
      // A message that fails must neither delay the call nor change its decision.
      this.#tell({ run, store }, asked, answered.signal).catch(() => {});
      const answer = await answerTo(store, run.run, { asked, wait_ms, ended }).finally(() =>
        answered.abort(),
      );
      if (answer === undefined && !ended.aborted) return undefined;
      const { by, reason } = answer?.details ?? {};
      if (answer?.event_type === "approval_refused")
        return { refused: `${String(by)} said no: ${String(reason)}` };
      await run.catchUp();
      const again = await toolCall(run, about, session, {
        ...place,
        // If it asks again, nothing waits for the answer, so that question expires at once.
        wait_ms: 0,
        after: (answer ?? asked).sequence,
      });
      return again.events.some(asksPerson) ? undefined : { decision: again.decision };
    });
  }

  /** Records the result of a call. Resolves to the reason why that call should not have run. Undefined if it could. */
  result(returned: ToolReturn, place: SessionPlace): Promise<string | undefined> {
    const { kernel } = this.#options;
    return this.#within(place, (opened) => recordReturned(returned, { kernel, ...opened }, place));
  }

  /** Records what happened in a session. The sessions of a sub-agent belong to the run in which it started. */
  sessionEvent(event: SessionEvent, place: SessionPlace): Promise<void> {
    return this.#within(place, async ({ run, store }) => {
      const { type, session, agent, id } = event;
      const own = type === "subagent_started" ? runOfSession(place.host, agent) : undefined;
      const isNew = own !== undefined && (await store.get(STARTED_IN, own)) === undefined;
      await run.record([recordOf(event, place.host)], {
        documents: isNew ? [{ kind: STARTED_IN, id: own, value: run.run, if_version: 0 }] : [],
        ...omitUndefined({ request_id: id && JSON.stringify([session, id]) }),
      });
    });
  }

  /** Decides about a response, without recording it. Undefined if the run is over, so that the agent can do nothing more. */
  response(response: Response, place: SessionPlace): Promise<Decision | undefined> {
    return this.#within(place, async ({ run }) => {
      await run.catchUp();
      const { kernel } = this.#options;
      const isOver = endOf(kernel.declared.projections, run.view) !== undefined;
      return isOver ? undefined : await kernel.decide(response, run.view);
    });
  }

  /** Tells the operators listed beside the configuration, a file that no agent chooses. Loaded late, because most projects have none. */
  async #tell({ run, store }: Opened, asked: LogEvent, signal: AbortSignal): Promise<void> {
    const folder = dirname(this.#options.config);
    const file = join(folder, ".bylaw/operators.json");
    // Not `existsSync`, because a link to a missing file is a broken file.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
    const { tellOperators } = await import("@bylaw/orchestrator/notify");
    const answerWith = (id: string): string =>
      `In ${folder}, run \`bylaw approve yes ${id}\` or \`bylaw approve no ${id} --reason TEXT\`.`;
    await tellOperators({ run, store, asked, file, answerWith, signal });
  }

  get #store(): string {
    return join(dirname(this.#options.config), ".bylaw/store.db");
  }

  async #within<T>(
    place: SessionPlace,
    work: (opened: Opened, session: Session) => Promise<T>,
  ): Promise<T> {
    this.#closeIdle();
    const key = place.run;
    const session = this.#sessions.get(key) ?? this.#begin(key);
    session.users += 1;
    try {
      return await work(await session.opened, session);
    } catch (error) {
      session.failed = true;
      throw error;
    } finally {
      session.users -= 1;
      session.usedAt = Date.now();
      if (session.failed || !this.#options.kept) {
        if (this.#sessions.get(key) === session) this.#sessions.delete(key);
        if (session.users === 0) await close(session);
      }
    }
  }

  #begin(key: string): Session {
    const session = { opened: this.#start(key), users: 0, usedAt: Date.now(), failed: false };
    this.#sessions.set(key, session);
    return session;
  }

  async #start(name: string): Promise<Opened> {
    const file = this.#store;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makeStoreFolder(storePlace(file));
    const { kernel } = this.#options;
    const store = await openSqliteStore(file);
    try {
      const run = await runNamed(name, store);
      return { store, run: await openRun(kernel, { run, store, join: true, types: TYPES }) };
    } catch (error) {
      await store.close().catch(() => {});
      throw error;
    }
  }

  #closeIdle(): void {
    for (const [key, session] of this.#sessions) {
      if (session.users > 0 || Date.now() - session.usedAt < IDLE_MS) continue;
      this.#sessions.delete(key);
      void close(session);
    }
  }
}

// A session with events is nobody's sub-agent, whatever was reported since.
async function runNamed(name: string, store: Store): Promise<string> {
  if ((await store.events(name, 0, 1)).length > 0) return name;
  return (await store.get(STARTED_IN, name))?.value ?? name;
}

async function toolCall(
  run: Run,
  call: ToolCall,
  session: Session,
  { strict, wait_ms, after }: SessionPlace & { readonly after?: number },
  options: Pick<AskOptions, "offered"> = {},
): Promise<Outcome> {
  const { session: name = "", id } = call;
  // After an answer, or the end of the wait, the call is decided and recorded once more.
  const request = after === undefined ? [name, id] : [name, id, after];
  const left = {
    left_to_host: !strict && options.offered !== true,
    ...(wait_ms !== undefined && { expires_at: new Date(Date.now() + wait_ms).toISOString() }),
    ...options,
  };
  // A result is found by the call's id, so a call without one gets a random id.
  const outcome =
    id === undefined
      ? await run.toolCall({ ...call, id: randomUUID() }, left)
      : await run.toolCall(call, { request_id: JSON.stringify(request), ...left });
  if (outcome.decision.code === "engine_absent") session.failed = true;
  return outcome;
}

// Ignores errors, because no call waits for the end of a session.
async function close({ opened }: Session): Promise<void> {
  try {
    const { run, store } = await opened;
    await run.close().finally(() => store.close());
  } catch {
    // The run never opened, or a sink failed that no call waits for.
  }
}
