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
  BatchChecked,
  BehaviorAnswer,
  Checked,
  Claim,
  Entered,
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
 * An agent under a contract that `bylaw serve` enforces: it claims a task, works by tools that the phase allows, and asks for transitions. What
 * goes wrong is an AgentError whose class and `next` say what to do. Requests that may be repeated are, and happen once.
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

  /** Throws RequestInvalid for an endpoint or a credential that cannot be one. */
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
   * A client from what `spawnAgent` put into the environment: BYLAW_ENDPOINT, BYLAW_AGENT_ID, BYLAW_TASK_ID and BYLAW_PHASE_TOKEN, or
   * BYLAW_ENROL_SECRET. What is given besides wins. Throws RequestInvalid where there is no endpoint or name.
   */
  static fromEnvironment(
    environment: Environment,
    options: Partial<AgentClientOptions> = {},
  ): AgentClient {
    return new AgentClient(optionsFromEnvironment(environment, options));
  }

  /** The task that is held. */
  get task_id(): string | undefined {
    return this.#session.task;
  }

  /** The phase of the task, as the server said last. */
  get phase(): string | undefined {
    return this.#session.phase;
  }

  /** The guide to the task's phase in words, for the prompt of a model. */
  get prompt(): string | undefined {
    return this.#session.prompt;
  }

  /** Aborted when a heartbeat finds that the task is held no longer; its reason is the AgentError. A new one with each claim. */
  get lost(): AbortSignal {
    return this.#alive.signal;
  }

  /**
   * Claims a task: the one that is named, or the next that is ready and that the capabilities suffice for. With `wait_ms` it waits that long for
   * one to become ready. Throws NoTaskReady.
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
  ): Promise<Entered> {
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

  /** Completes the task, with what its last phase requires. Throws TransitionBlocked. */
  async completeTask(artifacts: JsonObject = {}, options: AskOptions = {}): Promise<Entered> {
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

  /** Gives the task up: it waits for a person. */
  async failTask(reason: string, options: AskOptions = {}): Promise<void> {
    await this.#session.post("fail", "/tasks/fail", { reason }, options);
    this.#end();
  }

  /** A sign of life: the claim holds on. By itself where `heartbeat` is true. Throws NotClaimed where it is too late. */
  async heartbeat(options: AskOptions = {}): Promise<{ readonly lease_until: string }> {
    const { turn } = this.#session;
    const path = "/tasks/heartbeat";
    const answer = await this.#session.post<HeartbeatAnswer>("heartbeat", path, {}, options);
    this.#session.refresh(answer.phase_token, turn);
    return { lease_until: answer.lease_until };
  }

  /**
   * Has the server execute a tool. Throws ToolForbidden, ToolFailed, or ApprovalPending where a person is asked; with `approval_wait_ms` it waits that
   * long for the answer, and makes the call again when it is yes.
   */
  async useTool(
    tool_name: string,
    args: JsonObject = {},
    options: AskOptions & { readonly approval_wait_ms?: number } = {},
  ): Promise<ToolAnswer> {
    return useTool(this.#session, tool_name, args, options);
  }

  /**
   * Has the server execute several tools in one request, one after the other. The first call that is not `done` ends the batch, and those after it
   * are `skipped`: an outcome each, in order.
   */
  async useTools(
    calls: readonly ToolQuestion[],
    options: AskOptions = {},
  ): Promise<readonly ToolOutcome[]> {
    return useTools(this.#session, calls, options);
  }

  /** Asks whether a call would be allowed, without making it. With `record: false` the question is not on record either. */
  async checkTool(
    tool_name: string,
    args: JsonObject = {},
    options: CheckOptions = {},
  ): Promise<Checked> {
    return checkTool(this.#session, tool_name, args, options);
  }

  /** Asks about many calls at once: one answer each, in order. */
  async checkTools(
    calls: readonly ToolQuestion[],
    options: CheckOptions = {},
  ): Promise<readonly BatchChecked[]> {
    return checkTools(this.#session, calls, options);
  }

  /** The contract, with what each phase allows and asks for. */
  contract(options: AskOptions = {}): Promise<ContractAnswer> {
    return this.#session.get("contract", "/contract", options);
  }

  /** The tools that there are, with JSON Schemas of their arguments, and whether the phase allows them. */
  async tools(options: AskOptions = {}): Promise<readonly ToolDescription[]> {
    return (await this.#session.get<ToolsAnswer>("tools", "/tools", options)).tools;
  }

  /** Says what came of a checked call that the agent made itself. */
  async reportResult(result: ReportedResult, options: AskOptions = {}): Promise<void> {
    await this.#session.post("result", "/tools/result", { ...result }, options);
  }

  /** Has a finished response of the agent's model judged, and tells how to go on. */
  async respond(response: ModelResponse, options: AskOptions = {}): Promise<ResponseAnswer> {
    const body = { ...response };
    return this.#session.send<ResponseAnswer>("response", "/responses", body, options);
  }

  /** Asks to steer the workflow: the object of a control file, `{action, reason?, …}`. */
  async behave(action: JsonObject, options: AskOptions = {}): Promise<BehaviorAnswer> {
    return this.#session.send<BehaviorAnswer>("behavior", "/behaviors", action, options);
  }

  /** Where the run stands: phase, dependencies, what is done, what blocks. */
  async getStateSnapshot(
    options: AskOptions & { readonly cursor?: string } = {},
  ): Promise<Snapshot> {
    const { cursor, ...asked } = options;
    return this.#session.get<Snapshot>("snapshot", "/state/snapshot", asked, { cursor });
  }

  /** The events of the task after number `after` (default 0: all), and then each as it happens. It comes back by itself where the stream breaks. */
  events(options: EventOptions = {}): AsyncGenerator<LogEvent, void, undefined> {
    return followEvents(this.#transport, () => this.#session.bearer("events"), options);
  }

  /** What somebody is still to do for the task, such as reviews that were asked for. */
  async directives(options: AskOptions = {}): Promise<readonly JsonObject[]> {
    return (
      await this.#session.get<{ directives: JsonObject[] }>("directives", "/directives", options)
    ).directives;
  }

  /** The open questions to a person that concern the task: calls and gates. */
  async approvals(options: AskOptions = {}): Promise<readonly Approval[]> {
    return (await this.#session.get<{ approvals: Approval[] }>("approvals", "/approvals", options))
      .approvals;
  }

  /** Waits until a person has answered. Throws ApprovalRefused at a no, and where nobody answers in `wait_ms` (default: an hour). */
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

  /** Ends the heartbeat. The claim holds until its lease ends: `releaseTask` gives it back. */
  close(): void {
    this.#alive.abort();
  }
}
