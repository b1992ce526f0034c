import { NotClaimed, TokenExpired } from "./errors.ts";
import {
  newKey,
  type Answer,
  type ApiRequest,
  type RequestBody,
  type Transport,
} from "./transport.ts";

/** Options of every request. */
export interface AskOptions {
  /** Ends the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The key with which the server executes the request once, however often it is sent. Default: a new one for each request. */
  readonly request_id?: string | undefined;
  /** The time limit of one attempt, in milliseconds. */
  readonly timeout_ms?: number | undefined;
}

/** What an agent holds, and its requests. Private fields, so that nothing that prints an object prints the token. */
export class Session {
  readonly #transport: Transport;
  #token: string | undefined;
  #turn = 0;
  task: string | undefined;
  phase: string | undefined;
  prompt: string | undefined;

  constructor(
    transport: Transport,
    { token, task }: { readonly token: string | undefined; readonly task: string | undefined },
  ) {
    this.#transport = transport;
    this.#token = token;
    this.task = task;
  }

  /** The header with the phase token. Throws NotClaimed without one. */
  bearer(before: string): string {
    if (this.#token === undefined) throw notClaimed(before);
    return `Bearer ${this.#token}`;
  }

  /** Posts a request about the task and returns the body. Throws NotClaimed without a task. */
  async post<Body>(
    before: string,
    path: string,
    body: RequestBody,
    asked: AskOptions & { readonly tool?: string } = {},
  ): Promise<Body> {
    return (await this.answer<Body>(before, path, body, asked)).body;
  }

  /** The same, with the status of the answer. */
  async answer<Body>(
    before: string,
    path: string,
    body: RequestBody,
    asked: AskOptions & { readonly tool?: string },
  ): Promise<Answer<Body>> {
    if (this.task === undefined) throw notClaimed(before);
    const about = { task_id: this.task, ...body };
    return this.#ask({ method: "POST", path, body: about, ...this.#credential(before), ...asked });
  }

  /** Posts a request without a task id, because the token identifies the task. */
  async send<Body>(
    before: string,
    path: string,
    body: RequestBody,
    asked: AskOptions,
  ): Promise<Body> {
    const request = { method: "POST", path, body, ...this.#credential(before), ...asked } as const;
    return (await this.#ask<Body>(request)).body;
  }

  async get<Body>(
    before: string,
    path: string,
    asked: AskOptions,
    query: ApiRequest["query"] = {},
  ): Promise<Body> {
    const request = { method: "GET", path, query, ...this.#credential(before), ...asked } as const;
    return (await this.#ask<Body>(request)).body;
  }

  /** Read for each attempt, because the token may have been replaced. */
  #credential(before: string): Pick<ApiRequest, "authorization"> {
    return { authorization: () => this.bearer(before) };
  }

  // If the token was replaced while a request was on its way, the request is repeated with the new one under the same key, because an
  // earlier attempt may have taken effect.
  async #ask<Body>(asked: ApiRequest): Promise<Answer<Body>> {
    const turn = this.#turn;
    const request = { ...asked, request_id: asked.request_id ?? newKey() };
    try {
      return await this.#transport.ask<Body>(request);
    } catch (error) {
      if (!(error instanceof TokenExpired) || turn === this.#turn) throw error;
      return this.#transport.ask(request);
    }
  }

  /** The number of tokens received so far. A request remembers it to know later whether its token was replaced meanwhile. */
  get turn(): number {
    return this.#turn;
  }

  /** Stores the token of a claim or a transition, which ends every other. */
  renew(token: string | null | undefined): void {
    if (token === null || token === undefined || token === this.#token) return;
    this.#token = token;
    this.#turn += 1;
  }

  /** Stores the token of a heartbeat, unless another came since the request. Then this one may be of the previous phase. */
  refresh(token: string | undefined, since: number): void {
    if (since === this.#turn) this.renew(token);
  }

  /** Stores the phase after a claim or a transition. */
  enter({ phase, prompt }: { readonly phase: string | null; readonly prompt: string }): void {
    this.phase = phase ?? undefined;
    this.prompt = prompt;
  }

  /** Forgets the task and its token. */
  end(): void {
    this.#token = undefined;
    this.#turn += 1;
    this.task = undefined;
    this.phase = undefined;
    this.prompt = undefined;
  }
}

const notClaimed = (before: string): NotClaimed =>
  new NotClaimed({
    code: "not_claimed",
    message: `Claim a task before \`${before}\``,
    fix: "Call `claimTask` first",
  });
