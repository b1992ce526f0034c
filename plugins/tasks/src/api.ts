import type { Contract } from "@bylaw/contract";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import type { Outcome, RecordOptions } from "@bylaw/log";
import type { TaskState } from "./board.ts";
import type { Snapshot, SnapshotRequest } from "./snapshot.ts";

/** The part of a contract that says how tasks are given out. */
export type TaskRules = Pick<Contract, "coordination" | "recovery">;

/** A task to be created. */
export interface NewTask {
  /** 1 to 256 characters. Default: a new name. */
  readonly id?: string;
  readonly title?: string;
  /** The ids of tasks that have to be completed first; they were created before. */
  readonly dependencies?: readonly string[];
  /** What an agent must be able to do. */
  readonly capabilities?: readonly string[];
}

/** A request for a task. */
export interface ClaimRequest {
  readonly agent: string;
  /** What it is able to do. */
  readonly capabilities?: readonly string[];
  /** This one and no other. Where the agent holds it, the claim is the one that it has. */
  readonly task?: string;
  /** A repeated request under the same id gets the same claim while it lasts. */
  readonly request_id?: string;
}

/** Who holds which task: part of every request about it. */
export interface Hold {
  readonly task: string;
  readonly agent: string;
  /** Of the claim. */
  readonly fence: number;
}

/** A task that an agent holds. */
export interface HeldTask extends Hold {
  /** RFC 3339, UTC. Later on the task is somebody else's, unless a heartbeat came before. */
  readonly lease_until: string;
  /** Where it goes on, as the log says; `null`: it has entered no phase yet. */
  readonly phase: string | null;
  readonly title: string | null;
  readonly dependencies: readonly string[];
  readonly capabilities: readonly string[];
}

/** A request to complete a task that is in its last phase. */
export interface Completion extends Hold {
  /** Those that its phase requires, by type. */
  readonly artifacts: JsonObject;
  readonly reason?: string;
  /** What the host knows, such as the token. */
  readonly host?: JsonObject;
  readonly request_id?: string;
}

/** What is written with the end of a claim, and under which id it is asked for again. */
export type EndOptions = Pick<RecordOptions, "documents" | "request_id">;

/** A task with its id. */
export interface Task extends TaskState {
  readonly id: string;
}

/**
 * The tasks of a run. Everything that is done is on record in the same write. What the log makes impossible is refused with
 * BYLAW_EVENT_REFUSED, a malformed request with BYLAW_TASK_INVALID; each throws what the run throws besides.
 */
export interface Tasks {
  /** Creates a task. One that is there already, and is the same, is answered as it is. */
  create(task: NewTask): Promise<Task>;
  /** Gives the agent the task that was created first among those that are free and that it can do; `undefined` where there is none. */
  claim(request: ClaimRequest): Promise<HeldTask | undefined>;
  /** Lets the lease end as long after now as the contract says. */
  heartbeat(hold: Hold): Promise<HeldTask>;
  /** Asks for the transition that completes the task. Where it is allowed, what waited for the task is free. */
  complete(completion: Completion): Promise<Outcome>;
  /** Gives the task up: it waits for a person. */
  fail(hold: Hold & { readonly reason: string }, options?: EndOptions): Promise<Task>;
  /** Gives the task back: the next agent goes on in its phase. */
  release(hold: Hold & { readonly reason?: string }, options?: EndOptions): Promise<Task>;
  /** A person retries a task whose agents were lost or gave up. */
  retry(request: {
    readonly task: string;
    readonly by: string;
    readonly reason?: string;
  }): Promise<Task>;
  /** Takes up what agents left that were lost, and finishes what a crash interrupted. Each claim does so first. Resolves to what it recorded. */
  recover(): Promise<readonly LogEvent[]>;
  /** What an agent needs to know of a task, a page of at most 96,000 bytes of JSON. */
  snapshot(request: SnapshotRequest): Promise<Snapshot>;
  /** A task, as the log says. Throws BYLAW_TASK_UNKNOWN. */
  get(task: string): Promise<Task>;
}
