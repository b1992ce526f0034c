import type { Json } from "@bylaw/kernel";
import type { DocumentWrite } from "@bylaw/store";

/** A request that its agent may make again. */
export interface IdempotentRequest {
  /** For the log, which keeps apart what different agents named so. */
  readonly request_id: string;
  /** The same for the same request, and for no other. */
  readonly name: string;
  /** Whether it was made before. */
  readonly known: boolean;
  /** What is written with what becomes of it. */
  readonly documents: readonly DocumentWrite[];
}

/** A request as its caller named it. */
export interface RequestKey {
  /** Whose it is: an agent, or an operator. */
  readonly agent: string;
  /** The task of the agent; of an operator `""`. */
  readonly task: string;
  readonly request_id: string | undefined;
  /** What is asked for, all of it. */
  readonly content: Json;
}
