import type { Contract } from "@bylaw/contract";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import type { Outcome, RecordOptions } from "@bylaw/log";
import type { TaskState } from "./board.ts";
import type { Snapshot, SnapshotRequest } from "./snapshot.ts";

/** The part of a contract about assigning tasks. */
export type TaskRules = Pick<Contract, "coordination" | "recovery">;

/** A task to create. */
export interface NewTask {
  /** 1 to 256 characters. Default: a new name. */
  readonly id?: string;
  readonly title?: string;
  /** The ids of tasks that must be completed first. They must already exist. */
  readonly dependencies?: readonly string[];
  /** The capabilities that an agent needs for it. */
  readonly capabilities?: readonly string[];
}

/** A request for a task. */
export interface ClaimRequest {
  readonly agent: string;
  /** The capabilities of the agent. */
  readonly capabilities?: readonly string[];
  /** The only acceptable task. If the agent already holds it, the result is its current claim. */
  readonly task?: string;
  /** A repeated request with the same id gets the same claim while the claim lasts. */
  readonly request_id?: string;
}

/** Identifies a claim: its task, agent and fence. Every request about a held task includes it. */
export interface Hold {
  readonly task: string;
  readonly agent: string;
  /** The fence of the claim. */
  readonly fence: number;
}

/** A task that an agent holds. */
export interface HeldTask extends Hold {
  /** RFC 3339, UTC. After this time another agent may take the task, unless a heartbeat came before. */
  readonly lease_until: string;
  /** The phase in which it continues, by the log; `null`: it has entered no phase yet. */
  readonly phase: string | null;
  readonly title: string | null;
  readonly dependencies: readonly string[];
  readonly capabilities: readonly string[];
}

/** A request to complete a task in its last phase. */
export interface Completion extends Hold {
  /** The artifacts that its phase requires, by type. */
  readonly artifacts: JsonObject;
  readonly reason?: string;
  /** The host's facts, such as the token. */
  readonly host?: JsonObject;
  readonly request_id?: string;
}

/** The documents written with the end of a claim, and the id under which the request may be repeated. */
export type EndOptions = Pick<RecordOptions, "documents" | "request_id">;

/** A task with its id. */
export interface Task extends TaskState {
  readonly id: string;
}

/**
 * The tasks of a run. Every change is recorded in the same write. Throws BYLAW_EVENT_REFUSED for changes that the log makes
 * impossible, BYLAW_TASK_INVALID for malformed requests, and what the run throws.
 */
export interface Tasks {
  /** Creates a task. If an equal task exists, returns that one. */
  create(task: NewTask): Promise<Task>;
  /** Gives the agent the earliest created task that is free and within its capabilities; `undefined` if there is none. */
  claim(request: ClaimRequest): Promise<HeldTask | undefined>;
  /** Extends the lease from now by the time in the contract. */
  heartbeat(hold: Hold): Promise<HeldTask>;
  /** Requests the transition that completes the task. If it is allowed, tasks that waited for this one become free. */
  complete(completion: Completion): Promise<Outcome>;
  /** Gives up the task, which then waits for a person. */
  fail(hold: Hold & { readonly reason: string }, options?: EndOptions): Promise<Task>;
  /** Returns the task. The next agent continues in its phase. */
  release(hold: Hold & { readonly reason?: string }, options?: EndOptions): Promise<Task>;
  /** Retries, for a person, a task whose agents were lost or gave up. */
  retry(request: {
    readonly task: string;
    readonly by: string;
    readonly reason?: string;
  }): Promise<Task>;
  /** Frees the tasks of lost agents, and finishes what a crash interrupted. Each claim does so first. Resolves to the recorded events. */
  recover(): Promise<readonly LogEvent[]>;
  /** The facts that an agent needs about a task, in pages of at most 96,000 bytes of JSON. */
  snapshot(request: SnapshotRequest): Promise<Snapshot>;
  /** A task, by the log. Throws BYLAW_TASK_UNKNOWN. */
  get(task: string): Promise<Task>;
}
