import { NoTaskReady } from "./errors.ts";
import type { AskOptions } from "./session.ts";
import type { Transport } from "./transport.ts";
import type { ClaimAnswer } from "./types.ts";

/** Which task to claim. */
export interface ClaimOptions extends AskOptions {
  /** What the agent can do. */
  readonly capabilities?: readonly string[];
  /** The id of the only task to claim. */
  readonly task_id?: string;
  /** How long to wait for a task to become ready, in milliseconds. Default: 0. */
  readonly wait_ms?: number;
}

/** The longest that a server is asked to hold a request open, in milliseconds, because a proxy in between may cut longer ones. */
export const HOLD_MS = 25_000;

/** Claims a task, and asks again until `wait_ms` is over. Then throws NoTaskReady. */
export async function claimTask(
  transport: Transport,
  { agent_id, authorization }: { readonly agent_id: string; readonly authorization: () => string },
  { capabilities, task_id, wait_ms = 0, timeout_ms = 30_000, ...asked }: ClaimOptions,
): Promise<ClaimAnswer> {
  const until = Date.now() + wait_ms;
  const left = (): number => Math.max(0, until - Date.now());
  for (;;) {
    const held = Math.min(left(), HOLD_MS);
    const body = { agent_id, capabilities, task_id, wait_ms: held === 0 ? undefined : held };
    try {
      const request = { method: "POST", path: "/tasks/claim", body, authorization } as const;
      const options = { timeout_ms: timeout_ms + held, ...asked };
      return (await transport.ask<ClaimAnswer>({ ...request, ...options })).body;
    } catch (error) {
      if (!(error instanceof NoTaskReady) || left() === 0) throw error;
      await transport.sleep(Math.min(error.retry_after_ms ?? 1_000, left()), asked.signal);
    }
  }
}
