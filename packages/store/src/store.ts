import type { EventDraft, LogEvent } from "@bylaw/kernel";

/** A conditional write of a document, a snapshot kept beside the log. */
export interface DocumentWrite {
  readonly kind: string;
  readonly id: string;
  /** `null` deletes. */
  readonly value: string | null;
  /** The version that the writer saw; 0: it must not exist. Left out: any. */
  readonly if_version?: number;
  /** RFC 3339, UTC, by the store's clock. An expired document is absent. */
  readonly expires_at?: string;
}

/** A document as read. Versions count from 1. */
export interface StoredDocument {
  readonly version: number;
  readonly value: string;
}

/** The state of a task, written under its fence. */
export interface TaskWrite {
  readonly id: string;
  /** The fence of the caller's claim; 0 creates the task. */
  readonly fence: number;
  /**
   * Milliseconds: the lease of the claim ends that long after now, by the store's clock. Only for a task that is claimed. Without `set` a
   * lease is renewed and never becomes shorter, even if the clock went back; with `set` it begins anew.
   */
  readonly lease_ms?: number;
  /** Left out: the fence is checked and the state stays. */
  readonly set?: {
    readonly state: "available" | "claimed" | "done" | "failed";
    readonly queue?: string;
    readonly phase?: string;
    readonly owner?: string | null;
  };
}

/** One write: all of it or nothing. */
export interface Commit {
  readonly run: string;
  /** At least one: there is no silent change of state. */
  readonly events: readonly EventDraft[];
  readonly documents?: readonly DocumentWrite[];
  readonly task?: TaskWrite;
  /** A repeated id returns the first receipt and writes nothing. */
  readonly request_id?: string;
  /** The sequence up to which the writer has read. */
  readonly seen: number;
  /**
   * Called with the events after `seen` as the log is in the transaction; what it throws aborts the commit. Pure: a store may ask
   * again, with more events, until what it was asked about is what is committed to.
   */
  readonly admit?: (unseen: readonly LogEvent[]) => void;
}

/** What a commit came to. */
export interface Receipt {
  /** The events as numbered; those of the first commit when `replayed`. */
  readonly events: readonly LogEvent[];
  readonly replayed: boolean;
}

export interface ClaimRequest {
  readonly queue: string;
  readonly agent: string;
  /** Milliseconds. */
  readonly lease_ms: number;
  /** A repeated id of one agent returns the first claim and writes nothing. */
  readonly request_id?: string;
  /** With `admit`: the sequence up to which the claimer has read the run of the task. Left out: 0. */
  readonly seen?: number;
  /**
   * Called before `event`, with the events of the task's run after `seen` as the log is in the transaction; what it throws leaves
   * the task as it was. Not called for a repeated id. Pure: a store may ask again.
   */
  readonly admit?: (unseen: readonly LogEvent[], claim: Omit<Claim, "event">) => void;
  /** What goes on record with the claim, in the same transaction. Pure: a store may ask again. */
  readonly event: (claim: Omit<Claim, "event">) => EventDraft;
}

export interface Claim {
  readonly task: string;
  readonly run: string;
  readonly phase?: string;
  /** Rises with every claim of the task; an older one writes nothing. */
  readonly fence: number;
  /** RFC 3339, UTC, by the store's clock. */
  readonly lease_until: string;
  /** The event of the claim, as numbered. */
  readonly event: LogEvent;
}

/** A task whose lease ran out. */
export interface ExpiredLease {
  readonly task: string;
  readonly run: string;
  readonly owner: string;
  /** The fence that the task has now. */
  readonly fence: number;
}

/** Where runs are kept. Every event that a store numbers it also chains. */
export interface Store {
  /** Resolves only when durable. Throws a StoreConflict when a condition does not hold. */
  commit(commit: Commit): Promise<Receipt>;
  /** Gives one available task of a queue to one agent, or `undefined`. */
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  /**
   * Writes one document that no event brings about, such as a signed head. Resolves only when durable. Throws a StoreConflict where it is at
   * another version than its writer saw.
   */
  put(document: DocumentWrite): Promise<void>;
  /** An expired document is absent. */
  get(kind: string, id: string): Promise<StoredDocument | undefined>;
  /** At most `limit` events of a run with a sequence above `after`, in order. */
  events(run: string, after: number, limit: number): Promise<readonly LogEvent[]>;
  /** A hint that a run has grown; truth is in `events`. Resolves to the function that stops it. */
  watch(onHead: (run: string, head: number) => void): Promise<() => void>;
  /** Frees expired documents and leases, each lease with its event; resolves to how many. Without an event leases stay as they are. */
  sweep(event?: (lease: ExpiredLease) => EventDraft): Promise<number>;
  close(): Promise<void>;
}

/** A condition of a commit does not hold: read the log again and decide again. */
export class StoreConflict extends Error {
  readonly what: "seen" | "document" | "fence";

  constructor(what: StoreConflict["what"], message: string) {
    super(message);
    this.name = "StoreConflict";
    this.what = what;
  }

  // By shape, because a store may use another copy of this package.
  static override [Symbol.hasInstance](thrown: unknown): thrown is StoreConflict {
    return (
      thrown instanceof Error &&
      thrown.name === "StoreConflict" &&
      "what" in thrown &&
      typeof thrown.what === "string"
    );
  }
}
