import type {
  Behavior,
  BylawError,
  Decision,
  Effect,
  EventDraft,
  Json,
  LogEvent,
  Response,
  Subject,
  ToolCall,
  Transition,
  View,
} from "@bylaw/kernel";
import type { Claim, ClaimRequest, DocumentWrite, Store, TaskWrite } from "@bylaw/store";

/** What a coordinator sets out to do. */
export interface Plan {
  readonly file: string;
  readonly total_tasks: number;
}

/** How a run makes sure that nobody changed its log behind its back. */
export interface ChainOptions {
  /**
   * Secrets that seal what is kept beside the log: its head, and snapshots. The first one seals, and what any of them sealed is believed.
   * Every process that opens the run has to have them.
   */
  readonly secrets: readonly string[];
  /** A file of this machine for a copy of the head, so that a store that is set back as a whole is noticed. */
  readonly head_file?: string;
  /**
   * Is told once of a log that was changed. With it a run of such a log is opened: it knows nothing, and refuses everything. Without it
   * opening throws.
   */
  readonly onBreak?: (error: BylawError) => void;
}

/** How a run is opened. */
export interface OpenOptions {
  /** The name of the log. */
  readonly run: string;
  /** Default: a memory store of its own. */
  readonly store?: Store;
  /**
   * A UUID for this sitting. Default: a new one. A log that another session kept is resumed: that session can record no more.
   */
  readonly session?: string;
  /** Takes part in the sitting that is going on, where there is one: for several processes that keep one log. */
  readonly join?: boolean;
  /** Goes into `session_start`. */
  readonly plan?: Plan;
  /** RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
  /** The chain of the log is followed as it is read. Default: the log is believed. */
  readonly chain?: ChainOptions;
  /** Is told when a sink fails that is not required, or a required one where no call waits for it. */
  readonly onError?: (error: unknown) => void;
}

/** What came of a subject in a run. */
export interface Outcome {
  readonly decision: Decision;
  /** What happens, under the enforcement mode. */
  readonly applied: Effect;
  /** What was recorded. */
  readonly events: readonly LogEvent[];
  /**
   * A request with an id that was answered before: this is the answer of then, and nothing was recorded. Things may have
   * changed since: what the log says of the task holds, not this.
   */
  readonly replayed?: true;
}

/** An event of a type that a plugin declares. */
export type Recordable = Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">;

/** What is written with events: all of it or nothing. */
export interface RecordOptions {
  /** A task's state, or only its fence. */
  readonly task?: TaskWrite;
  readonly documents?: readonly DocumentWrite[];
  /** The same events under the same id are recorded once. */
  readonly request_id?: string;
}

/** How something is asked. */
export interface AskOptions {
  /** The same question under the same id is answered as it was the first time, and recorded once. */
  readonly request_id?: string;
  /** What is written with the event of the decision, whatever that is. */
  readonly documents?: readonly DocumentWrite[];
}

/** A wish for a task of this run. */
export interface TaskClaim extends Pick<
  ClaimRequest,
  "queue" | "agent" | "lease_ms" | "request_id"
> {
  /** What goes on record with the claim, of a type that a plugin declares. Pure: a store may ask again. */
  readonly event: (claim: Omit<Claim, "event">) => Recordable;
}

/** What a tool returned: evidence for gates and rules over sequences. */
export interface ToolResult {
  /** The id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly agent?: string;
  readonly task?: string;
  readonly ok: boolean;
  readonly result?: Json;
  /** Only the agent says so: nobody saw the call. It proves nothing to a rule that wants a good result. */
  readonly reported?: boolean;
}

/** A person's yes to one question. */
export interface ApprovalRequest {
  /** The subject that was asked about, as it was given. */
  readonly subject: Subject;
  /** Who says yes. */
  readonly by: string;
  /** RFC 3339, UTC. */
  readonly expires_at: string;
}

/** A person's no to one question about a tool call. */
export interface RefusalRequest {
  /** The sequence of the event that asked: `tool_asked`, or a `tool_denied` because nobody was there to approve the call. */
  readonly asked: number;
  /** Who says no. */
  readonly by: string;
  /** Why. */
  readonly reason: string;
}

/** One log, and the state that follows from it. */
export interface Run {
  readonly run: string;
  readonly session: string;
  /** Sequence of the last event that this run has read. */
  readonly head: number;
  toolCall(call: Omit<ToolCall, "hook">, options?: AskOptions): Promise<Outcome>;
  transition(request: Omit<Transition, "hook">, options?: AskOptions): Promise<Outcome>;
  behave(action: Omit<Behavior, "hook">, options?: AskOptions): Promise<Outcome>;
  respond(response: Omit<Response, "hook">, options?: AskOptions): Promise<Outcome>;
  toolResult(
    result: ToolResult,
    options?: Pick<AskOptions, "documents">,
  ): Promise<readonly LogEvent[]>;
  approve(
    request: ApprovalRequest,
    options?: Pick<AskOptions, "documents">,
  ): Promise<readonly LogEvent[]>;
  /**
   * Records a person's no. It closes the question: a later yes to it is refused, until the call is asked about again. Throws
   * BYLAW_APPROVAL_MISSING where the question is not open, and BYLAW_EVENT_REFUSED where a person already answered it.
   */
  refuse(
    request: RefusalRequest,
    options?: Pick<AskOptions, "documents">,
  ): Promise<readonly LogEvent[]>;
  /** Records that a person cleared a mark of the policies. Throws BYLAW_EVENT_REFUSED where no policy has it. */
  clearMark(
    mark: { readonly mark: string; readonly by: string },
    options?: Pick<AskOptions, "documents">,
  ): Promise<readonly LogEvent[]>;
  /**
   * Appends events of types that plugins declare. Throws BYLAW_EVENT_INVALID, BYLAW_EVENT_REFUSED, BYLAW_RUN_SUPERSEDED,
   * BYLAW_RUN_CLOSED, a StoreConflict where a fence or a document is not as expected, and what redactors, the store and required
   * sinks throw.
   */
  record(events: readonly Recordable[], options?: RecordOptions): Promise<readonly LogEvent[]>;
  /**
   * Gives a task of a queue to an agent, on record in the same transaction, or `undefined` where none is free. Guards are asked
   * about the event there. Throws like `record`.
   */
  claim(request: TaskClaim): Promise<Claim | undefined>;
  /** Reads what others have recorded since. Throws what the store throws. */
  catchUp(): Promise<void>;
  readonly view: View;
  /** The time by the clock of the run, RFC 3339: never before the last event. Throws BYLAW_EVENT_INVALID for a clock that tells none. */
  now(): string;
  /**
   * Waits for what is under way and closes the sinks, not the store. Questions that come later are denied. Throws what a required
   * sink throws.
   */
  close(): Promise<void>;
}
