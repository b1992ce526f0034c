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
import { DirectiveLease, isElsewhere } from "./directive-lease.ts";

/** How agents are supervised. */
export interface SupervisorOptions extends AgentsFile {
  readonly client: Pick<
    OperatorClient,
    "directives" | "leaseDirective" | "reportDirective" | "task"
  >;
  /** The server, for the environment of agents. */
  readonly url: string;
  /** Ends the agents that run, and the supervisor. */
  readonly signal: AbortSignal;
  readonly onStart: (directive: OpenDirective, agent: string) => void;
  readonly onEnd: (directive: OpenDirective, outcome: AgentOutcome) => void;
}

/** The outcome of one attempt. */
export interface AgentOutcome {
  readonly agent: string;
  /** Whether it was reported; otherwise `reason` says why not. */
  readonly reported: boolean;
  readonly reason: string | null;
}

/** The most that an agent may print, in bytes. */
const PRINTED = 4_194_304;
const POLL_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Starts a program for each open directive that asks for an agent, and reports how it ended. A failed agent is started again with growing
 * pauses. After its last attempt the directive stays open for a person, since reporting a failed review would leave its gate closed for good.
 */
export class AgentSupervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, { count: number; until: number }>();
  /** By directive that another supervisor carries out: when to ask for it again. */
  readonly #elsewhere = new Map<string, number>();
  readonly #holder = randomUUID();
  /** Reported by this process. A list that was asked for before may still have them. */
  readonly #reported = new Set<string>();
  #left = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Works until the signal aborts; with `once`, until it has nothing left to do. Resolves to the number of directives it gave up. */
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

  /** The open directives. While the server cannot be reached there are none; with `once` that is an error. */
  async #open(once: boolean): Promise<readonly OpenDirective[]> {
    try {
      return await this.#options.client.directives();
    } catch (error) {
      if (once || !(error instanceof Unavailable)) throw error;
      return [];
    }
  }

  /** Starts what may start now, and counts what has to wait. */
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
    // The agent is not to blame for a server that is away.
    const failed = error instanceof Unavailable ? 0 : 1;
    const count = (this.#failures.get(directive.directive)?.count ?? 0) + failed;
    const wait = Math.min(POLL_MS * 2 ** Math.max(0, count - 1), LONGEST_PAUSE_MS);
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

/** The role of a directive: the type of agent that a contract spawns, or the name of the agent that another one called. */
const roleOf = ({ action, agent_type, agent }: OpenDirective): string =>
  (action === "spawn" ? agent_type : action === "trigger" ? agent : undefined) ?? "";

const agentOf = ({ agent, agent_type, model }: OpenDirective): string =>
  agent ?? [agent_type, model].filter((part) => part !== undefined).join("-");

/** How a triggered agent ended. Throws unless it ended well. */
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

/** The verdict that a reviewer printed as its last line. Throws where there is none. */
function verdictOf(end: ProgramEnd): Omit<DirectiveReport, "task_id" | "agent"> {
  const { ok } = finished(end);
  const line = end.stdout.text.trim().split("\n").at(-1) ?? "";
  const { verdict, blocking_issues, summary } = jsonObjectIn(line) ?? {};
  if (verdict !== "approved" && verdict !== "rejected")
    throw new Error('Its last line is no verdict like {"verdict":"approved","summary":"…"}');
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
