import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf, type Json } from "@bylaw/kernel";
import { programEnvironment, runProgram, type ProgramEnd } from "@bylaw/process";
import {
  Unavailable,
  type DirectiveReport,
  type OpenDirective,
  type OperatorClient,
} from "@bylaw/sdk";
import { jsonObjectIn } from "../approve/remote.ts";
import type { AgentProgram, AgentsFile } from "./agents-file.ts";
import { DirectiveLease, isElsewhere, isSpent } from "./directive-lease.ts";

/** The options of a supervisor. */
export interface SupervisorOptions extends AgentsFile {
  readonly client: Pick<
    OperatorClient,
    "directives" | "leaseDirective" | "reportDirective" | "task"
  >;
  /** The address of the server, which agents get in their environment. */
  readonly url: string;
  /** Ends the supervisor and the agents that it started. */
  readonly signal: AbortSignal;
  readonly onStart: (directive: OpenDirective, agent: string) => void;
  readonly onEnd: (directive: OpenDirective, outcome: AgentOutcome) => void;
}

/** The outcome of one attempt. */
export interface AgentOutcome {
  readonly agent: string;
  /** Whether the outcome was reported. If not, `reason` says why. */
  readonly reported: boolean;
  readonly reason: string | null;
}

/** The most that an agent may print, in bytes. */
const PRINTED = 4_194_304;
const POLL_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Starts a program for each open directive that asks for an agent, and reports the outcome. Failed programs are started again,
 * after longer and longer pauses. After the last attempt the directive stays open for a person, because a failed review would keep
 * its gate closed forever.
 */
export class AgentSupervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, { count: number; until: number }>();
  /** When to try again for directives that another supervisor holds, by directive, in milliseconds since 1970. */
  readonly #elsewhere = new Map<string, number>();
  readonly #holder = randomUUID();
  /** Directives that this process reported. A list that was requested earlier may still contain them. */
  readonly #reported = new Set<string>();
  #left = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Works until the signal aborts, or with `once` until nothing is left to do. Resolves to the number of directives that it gave up on. */
  async run({ once = false }: { readonly once?: boolean } = {}): Promise<number> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const waiting = this.#start(await this.#open(once));
      if (once && waiting === 0 && this.#running.size === 0) break;
      await Promise.race([...this.#running.values(), pause(POLL_MS, signal)]);
    }
    await Promise.all(this.#running.values());
    return this.#left;
  }

  /** The open directives: none while the server is unreachable. With `once` an unreachable server is an error. */
  async #open(once: boolean): Promise<readonly OpenDirective[]> {
    try {
      return await this.#options.client.directives();
    } catch (error) {
      if (once || !(error instanceof Unavailable)) throw error;
      return [];
    }
  }

  /** Starts every agent that may start now. Returns how many directives have to wait. */
  #start(open: readonly OpenDirective[]): number {
    const { agents, max_parallel } = this.#options;
    let waiting = 0;
    for (const one of open) {
      const program = agents.get(roleOf(one));
      const failed = this.#failures.get(one.directive);
      if (program === undefined || this.#running.has(one.directive)) continue;
      if (this.#reported.has(one.directive)) continue;
      if (Date.now() < (this.#elsewhere.get(one.directive) ?? 0)) continue;
      if ((failed?.count ?? 0) >= program.attempts) continue;
      if (this.#running.size >= max_parallel || Date.now() < (failed?.until ?? 0)) {
        waiting++;
        continue;
      }
      const work = this.#carryOut(one, program).finally(() => this.#running.delete(one.directive));
      this.#running.set(one.directive, work);
    }
    return waiting;
  }

  async #carryOut(directive: OpenDirective, program: AgentProgram): Promise<void> {
    const { client, signal, onStart, onEnd, lease_seconds } = this.#options;
    const agent = agentOf(directive);
    const lease = new DirectiveLease(client, {
      directive: directive.directive,
      holder: this.#holder,
      lease_ms: lease_seconds * 1_000,
      max_attempts: program.attempts,
      signal,
    });
    try {
      await lease.take();
      onStart(directive, agent);
      const end = await this.#runAgent(directive, program, { agent, signal: lease.signal });
      lease.signal.throwIfAborted();
      await client.reportDirective(directive.directive, {
        ...{ task_id: directive.task, agent },
        ...(directive.action === "spawn" ? verdictOf(end) : finished(end)),
      });
      this.#reported.add(directive.directive);
      onEnd(directive, { agent, reported: true, reason: null });
    } catch (error) {
      if (signal.aborted) return;
      if (isElsewhere(error) || isElsewhere(lease.signal.reason))
        this.#elsewhere.set(directive.directive, Date.now() + lease_seconds * 333);
      else this.#failed(directive, program, { agent, error });
    } finally {
      lease.end();
    }
  }

  #failed(
    directive: OpenDirective,
    { attempts }: AgentProgram,
    { agent, error }: { readonly agent: string; readonly error: unknown },
  ): void {
    // An unreachable server does not count as a failed attempt of the agent.
    const failed = error instanceof Unavailable ? 0 : isSpent(error) ? attempts : 1;
    const count = (this.#failures.get(directive.directive)?.count ?? 0) + failed;
    const wait = Math.min(POLL_MS * 2 ** Math.max(0, count - 1), MAX_PAUSE_MS);
    this.#failures.set(directive.directive, { count, until: Date.now() + wait });
    if (count >= attempts) this.#left++;
    this.#options.onEnd(directive, { agent, reported: false, reason: messageOf(error) });
  }

  async #runAgent(
    directive: OpenDirective,
    { command, cwd, env, timeout_seconds }: AgentProgram,
    { agent, signal }: { readonly agent: string; readonly signal: AbortSignal },
  ): Promise<ProgramEnd> {
    const { client, url } = this.#options;
    const task = await client.task(directive.task);
    return await runProgram({
      argv: command,
      cwd,
      env: programEnvironment({
        names: env,
        set: {
          BYLAW_ENDPOINT: url,
          BYLAW_AGENT_ID: agent,
          BYLAW_TASK_ID: directive.task,
          BYLAW_DIRECTIVE: directive.directive,
          ...(directive.model === undefined ? {} : { BYLAW_MODEL: directive.model }),
        },
      }),
      stdin: JSON.stringify({ directive, task }),
      timeoutMs: timeout_seconds * 1_000,
      maxOutput: PRINTED,
      signal,
    });
  }
}

/** The role for a directive: the agent type that the contract spawns, or the name of the agent that another agent called. */
const roleOf = ({ action, agent_type, agent }: OpenDirective): string =>
  (action === "spawn" ? agent_type : action === "trigger" ? agent : undefined) ?? "";

const agentOf = ({ agent, agent_type, model }: OpenDirective): string =>
  agent ?? [agent_type, model].filter((part) => part !== undefined).join("-");

/** The success of a triggered agent. Throws an error with the reason if it did not exit with 0. */
function finished({ exit_code, signal, timed_out, overflowed, error }: ProgramEnd): { ok: true } {
  if (exit_code === 0) return { ok: true };
  const why = timed_out
    ? "It took too long"
    : overflowed
      ? "It printed too much"
      : (error ??
        `It ended with ${exit_code === null ? String(signal) : `exit code ${exit_code}`}`);
  throw new Error(why);
}

/** The verdict in the last line of a reviewer's output. Throws if there is none. */
function verdictOf(end: ProgramEnd): Omit<DirectiveReport, "task_id" | "agent"> {
  const { ok } = finished(end);
  const line = end.stdout.text.trim().split("\n").at(-1) ?? "";
  const { verdict, blocking_issues, summary } = jsonObjectIn(line) ?? {};
  if (verdict !== "approved" && verdict !== "rejected")
    throw new Error(
      'The last line of its output must be a verdict such as {"verdict":"approved","summary":"…"}',
    );
  return {
    ok,
    verdict,
    ...(Array.isArray(blocking_issues)
      ? {
          blocking_issues: blocking_issues
            .map((issue) => textOf(issue).slice(0, 2_000))
            .slice(0, 200),
        }
      : {}),
    ...(typeof summary === "string" ? { summary: summary.slice(0, 10_000) } : {}),
  };
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => {});
