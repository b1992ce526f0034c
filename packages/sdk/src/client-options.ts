import { RequestInvalid } from "./errors.ts";
import type { TransportOptions } from "./transport.ts";

/** Options of a client. */
export interface AgentClientOptions extends TransportOptions {
  /** The name of the agent. */
  readonly agent_id: string;
  /** The secret with which the agent claims a task. Not needed if it was started with a phase token. */
  readonly enrol_secret?: string;
  /** A task that is already claimed, with its phase token, from the program that started the agent. */
  readonly task_id?: string;
  readonly phase_token?: string;
  /** Whether the client sends heartbeats for its task by itself, well within the lease. Default: true. */
  readonly heartbeat?: boolean;
}

/** The names and values of an environment: `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables with the options of an agent's client. */
export const VARIABLES = {
  endpoint: "BYLAW_ENDPOINT",
  agent_id: "BYLAW_AGENT_ID",
  task_id: "BYLAW_TASK_ID",
  phase_token: "BYLAW_PHASE_TOKEN",
  enrol_secret: "BYLAW_ENROL_SECRET",
} as const;

/** Reads options from the environment. Given options take precedence. */
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
