import type { TransportOptions } from "./transport.ts";

/** What a client is made of. */
export interface AgentClientOptions extends TransportOptions {
  /** The name of the agent. */
  readonly agent_id: string;
  /** What lets an agent claim a task. Not needed where it was started with a phase token. */
  readonly enrol_secret?: string;
  /** A task that is held already, and its phase token: given by who started the agent. */
  readonly task_id?: string;
  readonly phase_token?: string;
  /** Gives signs of life for the claimed task by itself, well within its lease. Default true. */
  readonly heartbeat?: boolean;
}
