import type { EventDraft, Json, JsonObject, LogEvent } from "@bylaw/kernel";
import type { Claim, ClaimRequest, DocumentWrite, Store, TaskWrite } from "@bylaw/store";
import type { LogState } from "../state/log-state.ts";
import type { EventSubject } from "./log-follower.ts";
import type { ChainOptions, Plan } from "./run-contract.ts";

/** How often a write is tried again because other writers were quicker. */
export const ATTEMPTS = 8;

/** Who an event is about. */
export type AgentAndTask = { readonly agent?: Json | undefined; readonly task?: Json | undefined };

/** What must hold for events to be appended. */
export interface Condition {
  /** The log as the decision was made on it. */
  readonly before?: LogState;
  /** Whether another writer's event makes the drafts obsolete. */
  readonly stale?: (event: EventSubject) => boolean;
  /** Whether the state before the drafts makes them obsolete. */
  readonly outdated?: ((state: LogState) => boolean) | undefined;
  readonly documents?: readonly DocumentWrite[];
  readonly task?: TaskWrite;
  readonly request_id?: string;
}

/** What is durable. */
export interface Appended {
  readonly events: readonly LogEvent[];
  /** The request was made before: these are the events of then. */
  readonly replayed: boolean;
  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  readonly written: Promise<void>;
}

/** Which task is wanted, by whom, and for how long. */
export type TaskRequest = Pick<ClaimRequest, "queue" | "agent" | "lease_ms" | "request_id">;
/** The event of a claim. */
export type ClaimDraft = (claim: Omit<Claim, "event">) => EventDraft;

/** One log: what follows from it, and the way to add to it. */
export interface Journal {
  readonly session: string;
  /** The state after the events read so far. */
  readonly state: LogState;
  /** The time of the clock, but none before one that is on record. Throws BYLAW_EVENT_INVALID where the clock gives none. */
  time(): string;
  /** An event as it will stand in the log. Throws what a redactor throws, and BYLAW_EVENT_INVALID where it leaves no object. */
  draft(event_type: string, who: AgentAndTask, details: JsonObject): EventDraft;
  /**
   * Resolves when the events are durable. Throws a StoreConflict where they came too late, BYLAW_EVENT_REFUSED,
   * BYLAW_RUN_SUPERSEDED, and BYLAW_RUN_CLOSED.
   */
  append(drafts: readonly EventDraft[], condition?: Condition): Promise<Appended>;
  /**
   * Resolves when a task is held and that is on record, or to `undefined` where none is free. `event`: the draft for a claim. Throws
   * like `append`.
   */
  claim(
    request: TaskRequest,
    event: ClaimDraft,
  ): Promise<(Pick<Appended, "written"> & { readonly claim: Claim }) | undefined>;
  /** Reads what other writers appended. */
  catchUp(): Promise<void>;
  /** Waits for what is under way, and closes the sinks. */
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly run: string;
  readonly store: Store;
  readonly session: string;
  readonly join: boolean;
  readonly plan: Plan | undefined;
  readonly now: () => string;
  readonly chain: ChainOptions | undefined;
  readonly onError: (error: unknown) => void;
}
