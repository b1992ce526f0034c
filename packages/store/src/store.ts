import type { EventDraft, LogEvent } from "@bylaw/kernel";

/** A conditional write of one document. Documents are snapshots that are kept beside the event log. */
export interface DocumentWrite {
  readonly kind: string;
  readonly id: string;
  /** The new text; `null` deletes the document. */
  readonly value: string | null;
  /** The write succeeds only at this version; 0 means that the document must not exist. When left out, any version will do. */
  readonly if_version?: number;
  /** When the document expires: RFC 3339, UTC, by the store's clock. An expired document counts as absent. */
  readonly expires_at?: string;
}

/** A document as it was read. Versions count from 1. */
export interface StoredDocument {
  readonly version: number;
  readonly value: string;
}

/** A change of a task's state or lease, guarded by the fence of the claim. */
export interface TaskWrite {
  readonly id: string;
  /** The fence of the caller's claim; 0 creates the task. */
  readonly fence: number;
  /**
   * Milliseconds from now, by the store's clock, until the lease ends. Only for a claimed task. Without `set` the lease is renewed and
   * never becomes shorter, even if the clock went back; with `set` a new lease begins.
   */
  readonly lease_ms?: number;
  /** The new state. When left out, only the fence is checked and the state stays. */
  readonly set?: {
    readonly state: "available" | "claimed" | "done" | "failed";
    readonly queue?: string;
    readonly phase?: string;
    readonly owner?: string | null;
  };
}

/** One atomic write: everything in it is written, or nothing. */
export interface Commit {
  readonly run: string;
  /** At least one event, because no state may change without a record. */
  readonly events: readonly EventDraft[];
  readonly documents?: readonly DocumentWrite[];
  readonly task?: TaskWrite;
  /** A commit that repeats an id writes nothing and returns the receipt of the first commit. */
  readonly request_id?: string;
  /** The sequence of the last event that the writer has read. */
  readonly seen: number;
  /**
   * Called inside the transaction with the events after `seen`. If it throws, the commit is aborted. It must be pure: a store may call it
   * again, with more events, until it has seen exactly the log that the commit extends.
   */
  readonly admit?: (unseen: readonly LogEvent[]) => void;
}

/** The result of a commit. */
export interface Receipt {
  /** The events with their sequences and hashes. When `replayed`, those of the first commit. */
  readonly events: readonly LogEvent[];
  readonly replayed: boolean;
}

export interface ClaimRequest {
  readonly queue: string;
  readonly agent: string;
  /** How long the claim lasts, in milliseconds. */
  readonly lease_ms: number;
  /** A request that repeats an id of the same agent writes nothing and returns the first claim. */
  readonly request_id?: string;
  /** Used with `admit`: the sequence of the last event of the task's run that the claimer has read. Default 0. */
  readonly seen?: number;
  /**
   * Called before `event`, inside the transaction, with the events of the task's run after `seen`. If it throws, the task stays as it was.
   * Not called for a repeated id. It must be pure: a store may call it again.
   */
  readonly admit?: (unseen: readonly LogEvent[], claim: Omit<Claim, "event">) => void;
  /** Returns the event that records the claim in the same transaction. It must be pure: a store may call it again. */
  readonly event: (claim: Omit<Claim, "event">) => EventDraft;
}

export interface Claim {
  readonly task: string;
  readonly run: string;
  readonly phase?: string;
  /** Increases with every claim of the task. A writer with an older fence is refused. */
  readonly fence: number;
  /** When the lease ends: RFC 3339, UTC, by the store's clock. */
  readonly lease_until: string;
  /** The recorded event of the claim, with its sequence and hash. */
  readonly event: LogEvent;
}

/** A task whose lease has ended. */
export interface ExpiredLease {
  readonly task: string;
  readonly run: string;
  readonly owner: string;
  /** The fence of the task after its release. */
  readonly fence: number;
}

/** Keeps runs. A store numbers every event and links it into the hash chain. */
export interface Store {
  /** Writes a commit and resolves when it is durable. Throws a StoreConflict when a condition does not hold. */
  commit(commit: Commit): Promise<Receipt>;
  /** Gives one available task of a queue to one agent. Resolves to `undefined` when there is none. */
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  /**
   * Writes one document without an event, such as a signed head. Resolves when it is durable. Throws a StoreConflict when the document is
   * not at version `if_version`.
   */
  put(document: DocumentWrite): Promise<void>;
  /** Resolves to a document, or to `undefined` when it is absent or expired. */
  get(kind: string, id: string): Promise<StoredDocument | undefined>;
  /** Resolves to at most `limit` events of a run with a sequence above `after`, in order. */
  events(run: string, after: number, limit: number): Promise<readonly LogEvent[]>;
  /** Calls `onHead` when a run may have grown. This is a hint only; `events` has the truth. Resolves to a function that stops it. */
  watch(onHead: (run: string, head: number) => void): Promise<() => void>;
  /**
   * Deletes expired documents and ends expired leases, recording `event` for each lease. Resolves to the number of both. Without `event`,
   * leases stay as they are.
   */
  sweep(event?: (lease: ExpiredLease) => EventDraft): Promise<number>;
  close(): Promise<void>;
}

/** Thrown when a condition of a write does not hold. Read the log again, and decide again. */
export class StoreConflict extends Error {
  readonly what: "seen" | "document" | "fence";

  constructor(what: StoreConflict["what"], message: string) {
    super(message);
    this.name = "StoreConflict";
    this.what = what;
  }

  // Compares by shape, because a store may use another copy of this package.
  static override [Symbol.hasInstance](thrown: unknown): thrown is StoreConflict {
    return (
      thrown instanceof Error &&
      thrown.name === "StoreConflict" &&
      "what" in thrown &&
      typeof thrown.what === "string"
    );
  }
}
