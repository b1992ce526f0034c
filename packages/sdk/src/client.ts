import { awaitApproval, type WaitOptions } from "./approval.ts";
import { claimTask, type ClaimOptions } from "./claim.ts";
import {
  type AgentClientOptions,
  optionsFromEnvironment,
  type Environment,
} from "./client-options.ts";
import { AgentConsensus } from "./consensus.ts";
import type { ContractAnswer } from "./contract-types.ts";
import { followEvents, type EventOptions } from "./events.ts";
import { keepAlive } from "./keep-alive.ts";
import { transitionBlocked } from "./outcomes.ts";
import { Session, type AskOptions } from "./session.ts";
import { checkTool, checkTools, useTool, useTools } from "./tool-requests.ts";
import { ToolShorthands, type CheckOptions } from "./tool-shorthands.ts";
import { Transport, credentialOf } from "./transport.ts";
import type {
  Approval,
  BatchCheckAnswer,
  BehaviorAnswer,
  CheckAnswer,
  Claim,
  PhaseEntered,
  HeartbeatAnswer,
  JsonObject,
  LogEvent,
  ModelResponse,
  ReportedResult,
  ResponseAnswer,
  Snapshot,
  ToolAnswer,
  ToolDescription,
  ToolOutcome,
  ToolQuestion,
  ToolsAnswer,
  TransitionAnswer,
} from "./types.ts";

/**
 * An agent under a contract that `bylaw serve` enforces. It claims a task, uses tools that the phase allows, and asks for transitions.
 * Errors are AgentErrors whose class and `next` say what to do. Requests that can be repeated are repeated, and take effect once.
 */
export class AgentClient extends ToolShorthands {
  readonly agent_id: string;
  /** Answers and votes. */
  readonly consensus: AgentConsensus;
  readonly #session: Session;
  readonly #enrol: string | undefined;
  readonly #transport: Transport;
  readonly #heartbeat: boolean;
  #alive = new AbortController();

  /** Throws RequestInvalid for an invalid endpoint or credential. */
  constructor({
    agent_id,
    enrol_secret,
    task_id,
    phase_token,
    heartbeat = true,
    ...transport
  }: AgentClientOptions) {
    super();
    this.agent_id = agent_id;
    this.#enrol =
      enrol_secret === undefined ? undefined : credentialOf(enrol_secret, "enrolment secret");
    const token = phase_token === undefined ? undefined : credentialOf(phase_token, "phase token");
    this.#transport = new Transport(transport);
    this.#session = new Session(this.#transport, { token, task: task_id });
    this.consensus = new AgentConsensus(this.#session);
    this.#heartbeat = heartbeat;
    if (token !== undefined) this.#live(undefined);
  }

  /**
   * Creates a client from the environment that `spawnAgent` sets: BYLAW_ENDPOINT, BYLAW_AGENT_ID, BYLAW_TASK_ID and BYLAW_PHASE_TOKEN, or
   * BYLAW_ENROL_SECRET. Given options take precedence. Throws RequestInvalid without an endpoint or name.
   */
  static fromEnvironment(
    environment: Environment,
    options: Partial<AgentClientOptions> = {},
  ): AgentClient {
    return new AgentClient(optionsFromEnvironment(environment, options));
  }

  /** The id of the claimed task. */
  get task_id(): string | undefined {
    return this.#session.task;
  }

  /** The phase of the task, as last reported by the server. */
  get phase(): string | undefined {
    return this.#session.phase;
  }

  /** The guide to the task's phase in prose, for the prompt of a model. */
  get prompt(): string | undefined {
    return this.#session.prompt;
  }

  /** Aborted when a heartbeat finds that the task is no longer held. Its reason is the AgentError. Each claim has a new signal. */
  get lost(): AbortSignal {
    return this.#alive.signal;
  }

  /**
   * Claims a task: the named one, or the next ready one that fits the capabilities. With `wait_ms`, waits that long for one to become
   * ready. Throws NoTaskReady.
   */
  async claimTask(options: ClaimOptions = {}): Promise<Claim> {
    const authorization = (): string =>
      this.#enrol === undefined ? this.#session.bearer("claim") : `Bylaw-Enrol ${this.#enrol}`;
    const { phase_token, ...claim } = await claimTask(
      this.#transport,
      { agent_id: this.agent_id, authorization },
      options,
    );
    this.#session.renew(phase_token);
    this.#session.task = claim.task.id;
    this.#session.enter(claim);
    this.#live(claim.task.lease_until);
    return claim;
  }

  /**
   * Asks for the task to enter a phase, with the artifacts that the current phase requires. Throws TransitionBlocked with every reason;
   * `pending` is true if only a person's approval is missing.
   */
  async requestTransition(
    target_phase: string,
    artifacts: JsonObject = {},
    options: AskOptions & { readonly reason?: string } = {},
  ): Promise<PhaseEntered> {
    const { reason, ...asked } = options;
    const body = { target_phase, artifacts, reason };
    const path = "/tasks/transition";
    const answer = await this.#session.post<TransitionAnswer>("transition", path, body, asked);
    this.#session.renew(answer.new_token);
    const { allowed, blockers, blocked_by, test_run, new_token: _, ...entered } = answer;
    if (!allowed) throw transitionBlocked(target_phase, answer);
    this.#session.enter(entered);
    return entered;
  }

  /** Completes the task, with the artifacts that its last phase requires. Throws TransitionBlocked. */
  async completeTask(artifacts: JsonObject = {}, options: AskOptions = {}): Promise<PhaseEntered> {
    const entered = await this.requestTransition("@completed", artifacts, options);
    this.#alive.abort();
    return entered;
  }

  /** Gives the task back, for another agent to claim. */
  async releaseTask(options: AskOptions & { readonly reason?: string } = {}): Promise<void> {
    const { reason, ...asked } = options;
    await this.#session.post("release", "/tasks/release", { reason }, asked);
    this.#end();
  }

  /** Fails the task, which then waits for a person. */
  async failTask(reason: string, options: AskOptions = {}): Promise<void> {
    await this.#session.post("fail", "/tasks/fail", { reason }, options);
    this.#end();
  }

  /** Sends a heartbeat, which extends the claim. Happens by itself if `heartbeat` is true. Throws NotClaimed if it is too late. */
  async heartbeat(options: AskOptions = {}): Promise<{ readonly lease_until: string }> {
    const { turn } = this.#session;
    const path = "/tasks/heartbeat";
    const answer = await this.#session.post<HeartbeatAnswer>("heartbeat", path, {}, options);
    this.#session.refresh(answer.phase_token, turn);
    return { lease_until: answer.lease_until };
  }

  /**
   * Has the server execute a tool. Throws ToolForbidden, ToolFailed, or ApprovalPending if a person must approve. With `approval_wait_ms`,
   * waits that long for the answer, and repeats the call after a yes.
   */
  async useTool(
    tool_name: string,
    args: JsonObject = {},
    options: AskOptions & { readonly approval_wait_ms?: number } = {},
  ): Promise<ToolAnswer> {
    return useTool(this.#session, tool_name, args, options);
  }

  /**
   * Has the server execute several tools in one request, one after the other. The first call that is not `done` ends the batch, and the
   * rest is `skipped`. Resolves to one outcome for each, in order.
   */
  async useTools(
    calls: readonly ToolQuestion[],
    options: AskOptions = {},
  ): Promise<readonly ToolOutcome[]> {
    return useTools(this.#session, calls, options);
  }

  /** Asks whether a call would be allowed, without making it. With `record: false`, the question is not recorded either. */
  async checkTool(
    tool_name: string,
    args: JsonObject = {},
    options: CheckOptions = {},
  ): Promise<CheckAnswer> {
    return checkTool(this.#session, tool_name, args, options);
  }

  /** Asks about many calls at once. Resolves to one answer for each, in order. */
  async checkTools(
    calls: readonly ToolQuestion[],
    options: CheckOptions = {},
  ): Promise<readonly BatchCheckAnswer[]> {
    return checkTools(this.#session, calls, options);
  }

  /** Resolves to the contract, with what each phase allows and requires. */
  contract(options: AskOptions = {}): Promise<ContractAnswer> {
    return this.#session.get("contract", "/contract", options);
  }

  /** Resolves to the tools, with JSON Schemas of their arguments, and whether the phase allows them. */
  async tools(options: AskOptions = {}): Promise<readonly ToolDescription[]> {
    return (await this.#session.get<ToolsAnswer>("tools", "/tools", options)).tools;
  }

  /** Reports the result of a checked call that the agent made itself. */
  async reportResult(result: ReportedResult, options: AskOptions = {}): Promise<void> {
    await this.#session.post("result", "/tools/result", { ...result }, options);
  }

  /** Submits a finished response of the agent's model. The answer says whether it is accepted and how to continue. */
  async respond(response: ModelResponse, options: AskOptions = {}): Promise<ResponseAnswer> {
    const body = { ...response };
    return this.#session.send<ResponseAnswer>("response", "/responses", body, options);
  }

  /** Asks to steer the workflow, with the content of a control file: `{action, reason?, …}`. */
  async behave(action: JsonObject, options: AskOptions = {}): Promise<BehaviorAnswer> {
    return this.#session.send<BehaviorAnswer>("behavior", "/behaviors", action, options);
  }

  /** Resolves to the state of the task: phase, dependencies, what is done, what blocks. */
  async getStateSnapshot(
    options: AskOptions & { readonly cursor?: string } = {},
  ): Promise<Snapshot> {
    const { cursor, ...asked } = options;
    return this.#session.get<Snapshot>("snapshot", "/state/snapshot", asked, { cursor });
  }

  /** Yields the events of the task after number `after` (default 0: all), and then each as it happens. Reconnects by itself. */
  events(options: EventOptions = {}): AsyncGenerator<LogEvent, void, undefined> {
    return followEvents(this.#transport, () => this.#session.bearer("events"), options);
  }

  /** Resolves to the open work of others for the task, such as requested reviews. */
  async directives(options: AskOptions = {}): Promise<readonly JsonObject[]> {
    return (
      await this.#session.get<{ directives: JsonObject[] }>("directives", "/directives", options)
    ).directives;
  }

  /** Resolves to the open questions to a person about the task: calls and gates. */
  async approvals(options: AskOptions = {}): Promise<readonly Approval[]> {
    return (await this.#session.get<{ approvals: Approval[] }>("approvals", "/approvals", options))
      .approvals;
  }

  /** Waits until a person has answered. Throws ApprovalRefused for a no, and when nobody answers within `wait_ms` (default: one hour). */
  async waitForApproval(approval_id: string, options: WaitOptions = {}): Promise<Approval> {
    return awaitApproval(this.#session, approval_id, options);
  }

  #end(): void {
    this.#alive.abort();
    this.#session.end();
  }

  #live(lease_until: string | undefined): void {
    this.#alive.abort();
    this.#alive = new AbortController();
    if (this.#heartbeat)
      keepAlive(this, { alive: this.#alive, lease_until, sleep: this.#transport.sleep });
  }

  /** Ends the heartbeat. The claim stays until its lease ends; `releaseTask` gives it back at once. */
  close(): void {
    this.#alive.abort();
  }
}
