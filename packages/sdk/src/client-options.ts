import { RequestInvalid } from "./errors.ts";
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

/** Names and values of an environment: `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the parts of a client stand in the environment of an agent. */
export const VARIABLES = {
  endpoint: "BYLAW_ENDPOINT",
  agent_id: "BYLAW_AGENT_ID",
  task_id: "BYLAW_TASK_ID",
  phase_token: "BYLAW_PHASE_TOKEN",
  enrol_secret: "BYLAW_ENROL_SECRET",
} as const;

/** What the environment says, and what was given besides, which wins. */
export function optionsFromEnvironment(
  environment: Environment,
  options: Partial<AgentClientOptions>,
): AgentClientOptions {
  const found = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const value = environment[variable];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  const { endpoint, agent_id, ...rest } = {
    ...(Object.fromEntries(found) as Partial<AgentClientOptions>),
    ...options,
  };
  if (endpoint === undefined) throw missing(VARIABLES.endpoint);
  if (agent_id === undefined) throw missing(VARIABLES.agent_id);
  return { endpoint, agent_id, ...rest };
}

const missing = (variable: string): RequestInvalid =>
  new RequestInvalid({
    code: "request_invalid",
    message: `${variable} is not set`,
    fix: "Start the agent with `spawnAgent`, or set the variable",
  });
