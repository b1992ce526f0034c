import type { EventDraft, Json, JsonObject, LogEvent } from "@bylaw/kernel";
import type { Claim, ClaimRequest, DocumentWrite, Store, TaskWrite } from "@bylaw/store";
import type { LogState } from "../state/log-state.ts";
import type { EventSubject } from "./log-follower.ts";
import type { ChainOptions, Plan } from "./run-contract.ts";

/** How often a write is retried because other writers were faster. */
export const ATTEMPTS = 8;

/** The agent and task of an event. */
export type AgentAndTask = { readonly agent?: Json | undefined; readonly task?: Json | undefined };

/** What must hold for events to be appended. */
export interface Condition {
  /** The log on which the decision was made. */
  readonly before?: LogState;
  /** Whether another writer's event makes the drafts obsolete. */
  readonly stale?: (event: EventSubject) => boolean;
  /** Whether the state before the drafts makes them obsolete. */
  readonly outdated?: ((state: LogState) => boolean) | undefined;
  readonly documents?: readonly DocumentWrite[];
  readonly task?: TaskWrite;
  readonly request_id?: string;
}

/** The result of an append. */
export interface Appended {
  readonly events: readonly LogEvent[];
  /** Whether the request was made before. Then these are the events of the first time. */
  readonly replayed: boolean;
  /** Resolves when the required sinks have written these events. Rejects with the error of one that failed. */
  readonly written: Promise<void>;
}

/** Which queue to claim a task from, for which agent, and for how long. */
export type TaskRequest = Pick<ClaimRequest, "queue" | "agent" | "lease_ms" | "request_id">;
/** Returns the event of a claim. */
export type ClaimDraft = (claim: Omit<Claim, "event">) => EventDraft;

/** One log: its state, and the methods that add to it. */
export interface Journal {
  readonly session: string;
  /** The state after the events read so far. */
  readonly state: LogState;
  /** The time of the clock, but never before the last recorded one. Throws BYLAW_EVENT_INVALID if the clock returns no valid time. */
  time(): string;
  /** An event as it will be recorded. Throws what a redactor throws, and BYLAW_EVENT_INVALID if the redactor's result is not an object. */
  draft(event_type: string, who: AgentAndTask, details: JsonObject): EventDraft;
  /**
   * Resolves when the events are durable. Throws a StoreConflict if another write made them obsolete, BYLAW_EVENT_REFUSED,
   * BYLAW_RUN_SUPERSEDED and BYLAW_RUN_CLOSED.
   */
  append(drafts: readonly EventDraft[], condition?: Condition): Promise<Appended>;
  /**
   * Resolves when a task is claimed and that is recorded, or to `undefined` if no task can be claimed. `event`: the draft for a claim.
   * Throws like `append`.
   */
  claim(
    request: TaskRequest,
    event: ClaimDraft,
  ): Promise<(Pick<Appended, "written"> & { readonly claim: Claim }) | undefined>;
  /** Reads what other writers have appended. */
  catchUp(): Promise<void>;
  /** Waits for pending work and closes the sinks. */
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
