import type { ConsensusState, ConsensusTerms } from "./consensus-types.ts";
import type { JsonObject } from "./json.ts";
import type { AskOptions } from "./session.ts";
import { Transport, credentialOf, type RequestBody, type TransportOptions } from "./transport.ts";

/** The options of an operator's client. */
export interface OperatorClientOptions extends TransportOptions {
  /** The token of an operator. Keep it from agents. */
  readonly operator_token: string;
}

/** An event of a coordinator. Its type determines its details. */
export interface CoordinatorEvent {
  readonly event_type: string;
  readonly agent_id?: string;
  readonly task_id?: string;
  readonly details?: JsonObject;
}

/** A task to create. */
export interface NewTask {
  /** Default: an id that the server creates. */
  readonly id?: string;
  readonly title?: string;
  /** Ids of the tasks that must be completed first. */
  readonly dependencies?: readonly string[];
  /** Capabilities that an agent needs. */
  readonly capabilities?: readonly string[];
}

interface TaskPage {
  readonly tasks: readonly JsonObject[];
  readonly next: string | null;
}

/** A directive that is not reported as done: an agent to start, or an action of the contract. */
export interface OpenDirective {
  readonly directive: string;
  /** `spawn`: start a reviewer of the contract; `trigger`: start an agent that another one called; otherwise an action of the contract. */
  readonly action: string;
  readonly task: string;
  readonly agent?: string;
  readonly agent_type?: string;
  readonly model?: string;
  readonly params?: JsonObject;
}

/** The outcome of a directive; a review has a verdict. */
export interface DirectiveReport {
  readonly ok: boolean;
  readonly task_id?: string;
  readonly agent?: string;
  readonly verdict?: "approved" | "rejected";
  readonly blocking_issues?: readonly string[];
  readonly summary?: string;
}

/** Why an agent was dropped. */
export type DropReason = "timeout" | "cancelled" | "fatal_error" | "superseded" | "denial_loop";

/** The operator's client: opens a consensus, begins rounds and selects the winner, and records events of a coordinator. */
export class OperatorClient {
  readonly #transport: Transport;
  readonly #authorization: string;

  /** Throws RequestInvalid for an invalid endpoint or token. */
  constructor({ operator_token, ...transport }: OperatorClientOptions) {
    this.#transport = new Transport(transport);
    this.#authorization = `Bearer ${credentialOf(operator_token, "operator token")}`;
  }

  /** The state of the consensus. */
  consensus(options: AskOptions = {}): Promise<ConsensusState> {
    return this.#ask("GET", "/consensus", undefined, options);
  }

  /** Opens the consensus with its agents and rules. A run has one consensus. */
  openConsensus(terms: ConsensusTerms, options: AskOptions = {}): Promise<ConsensusState> {
    return this.#ask("POST", "/consensus", { ...terms }, options);
  }

  /** Begins the next round of an agent, with new attempts. Resolves to its number. */
  async beginRound(agent_id: string, options: AskOptions = {}): Promise<number> {
    const path = "/consensus/round";
    return (await this.#ask<{ readonly round: number }>("POST", path, { agent_id }, options)).round;
  }

  /** Stops waiting for an agent. */
  dropAgent(
    agent_id: string,
    reason: DropReason,
    options: AskOptions & { readonly message?: string } = {},
  ): Promise<ConsensusState> {
    const { message, ...asked } = options;
    return this.#ask("POST", "/consensus/drop", { agent_id, reason, message }, asked);
  }

  /** Selects the winner by the recorded votes. */
  selectWinner(options: AskOptions = {}): Promise<ConsensusState> {
    return this.#ask("POST", "/consensus/select", {}, options);
  }

  /** Records an event of a coordinator. Resolves to its sequence. The server refuses events that cannot have happened. */
  async recordEvent(event: CoordinatorEvent, options: AskOptions = {}): Promise<number> {
    const path = "/events";
    return (await this.#ask<{ readonly sequence: number }>("POST", path, { ...event }, options))
      .sequence;
  }

  /** Clears a mark of the policies, as if no call had set it. */
  async clearMark(mark: string, options: AskOptions = {}): Promise<void> {
    await this.#ask("POST", "/marks/clear", { mark }, options);
  }

  /** The open directives of the run. */
  async directives(options: AskOptions = {}): Promise<readonly OpenDirective[]> {
    const path = "/directives";
    return (await this.#ask<{ directives: OpenDirective[] }>("GET", path, undefined, options))
      .directives;
  }

  /**
   * Takes a directive for `lease_ms`, so that nobody else carries it out, or renews the lease. `holder` is the caller's own name. Throws
   * Conflict if another holder has it, and NotFound if it is not open. With `max_attempts`, an attempt begins; it throws Conflict with
   * `BYLAW_DIRECTIVE_SPENT` if all holders together have made so many.
   */
  async leaseDirective(
    directive: string,
    lease: { readonly holder: string; readonly lease_ms?: number; readonly max_attempts?: number },
    options: AskOptions = {},
  ): Promise<{ readonly lease_until: string }> {
    const path = `/directives/${encodeURIComponent(directive)}/lease`;
    return this.#ask("POST", path, lease, options);
  }

  /** Reports the outcome of a directive. */
  async reportDirective(
    directive: string,
    report: DirectiveReport,
    options: AskOptions = {},
  ): Promise<void> {
    const path = `/directives/${encodeURIComponent(directive)}`;
    await this.#ask("POST", path, { ...report }, options);
  }

  /** Creates tasks, each after those it depends on: all of them or none, and no existing one again. Resolves to them in order. */
  async createTasks(
    tasks: readonly NewTask[],
    options: AskOptions = {},
  ): Promise<readonly JsonObject[]> {
    return (await this.#ask<{ tasks: JsonObject[] }>("POST", "/tasks", { tasks }, options)).tasks;
  }

  /** Every task with its phase and status, by id. */
  async tasks(options: AskOptions = {}): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `/tasks?limit=500${query}`;
      const page = await this.#ask<TaskPage>("GET", path, undefined, options);
      found.push(...page.tasks);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  /** A task with its phase and status. */
  task(id: string, options: AskOptions = {}): Promise<JsonObject> {
    return this.#ask("GET", `/tasks/${encodeURIComponent(id)}`, undefined, options);
  }

  async #ask<Body>(
    method: "GET" | "POST",
    path: string,
    body: RequestBody | undefined,
    asked: AskOptions,
  ): Promise<Body> {
    const sent = body === undefined ? {} : { body };
    const authorization = (): string => this.#authorization;
    return (await this.#transport.ask<Body>({ method, path, ...sent, authorization, ...asked }))
      .body;
  }
}
