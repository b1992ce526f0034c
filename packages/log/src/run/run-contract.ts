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
import type { EventType } from "../state/declared.ts";
import type { Claim, ClaimRequest, DocumentWrite, Store, TaskWrite } from "@bylaw/store";

/** The plan of a coordinator. */
export interface Plan {
  readonly file: string;
  readonly total_tasks: number;
}

/** How a run detects changes to its log. */
export interface ChainOptions {
  /**
   * Secrets that seal what is kept beside the log: its head, and snapshots. The first one seals, and seals of all of them are accepted.
   * Every process that opens the run needs them.
   */
  readonly secrets: readonly string[];
  /** A local file for a copy of the head, so that a store which was restored to an older state is noticed. */
  readonly head_file?: string;
  /**
   * Called once when the log was changed. With it, the run is opened anyway, with an empty state, and refuses everything. Without it,
   * opening throws.
   */
  readonly onBreak?: (error: BylawError) => void;
}

/** How a run is opened. */
export interface OpenOptions {
  /** The name of the log. */
  readonly run: string;
  /** Default: a new memory store. */
  readonly store?: Store;
  /**
   * A UUID for this session. Default: a new one. If another session has the log, this one takes it over, and the other can record no more.
   */
  readonly session?: string;
  /** Joins the current session if there is one, so that several processes can share one log. */
  readonly join?: boolean;
  /** Recorded in `session_start`. */
  readonly plan?: Plan;
  /** Event types that `record` accepts besides those that plugins declare. They do not change the policies. Default: none. */
  readonly types?: readonly EventType[];
  /** Returns the time, RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
  /** Verifies the chain of the log while it is read. Default: the log is trusted. */
  readonly chain?: ChainOptions;
  /** Called when an optional sink fails, or a required one that no call waits for. What it throws, or rejects with, is ignored. */
  readonly onError?: (error: unknown) => unknown;
}

/** The result of a question in a run. */
export interface Outcome {
  readonly decision: Decision;
  /** What happens under the enforcement mode. */
  readonly applied: Effect;
  /** The recorded events. */
  readonly events: readonly LogEvent[];
  /**
   * Set when a request with this id was answered before. This is that earlier answer, and nothing new was recorded. Things may have changed
   * since: trust what the log says of the task, not this.
   */
  readonly replayed?: true;
}

/** An event of a type that a plugin, or the host in {@link OpenOptions}, declares. */
export type RecordableEvent = Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">;

/** What is written together with events, in one atomic commit. */
export interface RecordOptions {
  /** A task's new state, or only a check of its fence. */
  readonly task?: TaskWrite;
  readonly documents?: readonly DocumentWrite[];
  /** The same events under the same id are recorded once. */
  readonly request_id?: string;
}

/** Options of a question. */
export interface AskOptions {
  /** The same question under the same id gets its first answer, and is recorded once. */
  readonly request_id?: string;
  /** Whether a tool call that no rule covers counts as one that ran, because the host decides about it. */
  readonly left_to_host?: boolean;
  /** Whether the call is offered instead of another one. Then it does not run unless a rule allows it, and is recorded as denied. */
  readonly offered?: boolean;
  /** Until when somebody waits for the answer about a tool call: RFC 3339, UTC. Default: the question does not expire. */
  readonly expires_at?: string;
  /** Documents that are written with the event of the decision, whatever it is. */
  readonly documents?: readonly DocumentWrite[];
}

/** A request to claim a task of this run. */
export interface TaskClaim extends Pick<
  ClaimRequest,
  "queue" | "agent" | "lease_ms" | "request_id"
> {
  /** Returns the event that records the claim, of a type that a plugin declares. It must be pure: a store may call it again. */
  readonly event: (claim: Omit<Claim, "event">) => RecordableEvent;
}

/** The result of a tool call. It is evidence for gates and for rules over sequences. */
export interface ToolResult {
  /** The id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly agent?: string;
  readonly task?: string;
  readonly ok: boolean;
  readonly result?: Json;
  /** Whether only the agent reports the result, and nobody saw the call. It proves nothing to a rule that requires a good result. */
  readonly reported?: boolean;
}

/** A person's yes to one question. */
export interface ApprovalRequest {
  /** The subject of the question, as it was asked. */
  readonly subject: Subject;
  /** The person who says yes. */
  readonly by: string;
  /** When the approval ends: RFC 3339, UTC. */
  readonly expires_at: string;
}

/** A person's no to one question about a tool call. */
export interface RefusalRequest {
  /** The sequence of the event that asked: `tool_asked`, or a `tool_denied` because nobody was there to approve the call. */
  readonly asked: number;
  /** The person who says no. */
  readonly by: string;
  /** Why the call is refused. */
  readonly reason: string;
}

/** One log and its current state. */
export interface Run {
  readonly run: string;
  readonly session: string;
  /** The sequence of the last event that this run has read. */
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
   * Records that a person said no. This closes the question: a later yes is refused until the call is asked about again. Throws
   * BYLAW_APPROVAL_MISSING if the question is not open, and BYLAW_EVENT_REFUSED if a person has already answered it.
   */
  refuse(
    request: RefusalRequest,
    options?: Pick<AskOptions, "documents">,
  ): Promise<readonly LogEvent[]>;
  /** Records that a person cleared a mark of the policies. Throws BYLAW_EVENT_REFUSED if no policy defines the mark. */
  clearMark(
    mark: { readonly mark: string; readonly by: string },
    options?: Pick<AskOptions, "documents">,
  ): Promise<readonly LogEvent[]>;
  /**
   * Appends events of declared types. Throws BYLAW_EVENT_INVALID, BYLAW_EVENT_REFUSED, BYLAW_RUN_SUPERSEDED, BYLAW_RUN_CLOSED,
   * a StoreConflict if a fence or document is not as expected, and what redactors, the store and required sinks throw.
   */
  record(events: readonly RecordableEvent[], options?: RecordOptions): Promise<readonly LogEvent[]>;
  /**
   * Gives a task of a queue to an agent and records that in the same transaction, in which guards are asked about the event. Resolves to
   * `undefined` if no task can be claimed. Throws like `record`.
   */
  claim(request: TaskClaim): Promise<Claim | undefined>;
  /** Reads what others have recorded since. Throws what the store throws. */
  catchUp(): Promise<void>;
  readonly view: View;
  /**
   * The time by the clock of the run, RFC 3339, never before the last event. Throws BYLAW_EVENT_INVALID if the clock returns no valid time.
   */
  now(): string;
  /** Waits for pending work and closes the sinks, but not the store. Later questions are denied. Throws what a required sink throws. */
  close(): Promise<void>;
}
