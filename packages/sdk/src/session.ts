import { NotClaimed, TokenExpired } from "./errors.ts";
import {
  newKey,
  type Answer,
  type ApiRequest,
  type RequestBody,
  type Transport,
} from "./transport.ts";

/** What every request may be given. */
export interface AskOptions {
  /** Ends the request; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The key under which the server does this once, however often it is asked. Default: a new one for each request. */
  readonly request_id?: string | undefined;
  /** The longest that one attempt may take, in milliseconds. */
  readonly timeout_ms?: number | undefined;
}

/** What an agent holds now, and what it asks for with it. Private fields: nothing that prints an object prints them. */
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

  /** Posts a request about the task, and answers with the body. Throws NotClaimed without a task. */
  async post<Body>(
    before: string,
    path: string,
    body: RequestBody,
    asked: AskOptions & { readonly tool?: string } = {},
  ): Promise<Body> {
    return (await this.answer<Body>(before, path, body, asked)).body;
  }

  /** The same with the status of the answer. */
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

  /** Posts a request that names no task: the token does. */
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

  /** Read for each attempt: the token may have been replaced. */
  #credential(before: string): Pick<ApiRequest, "authorization"> {
    return { authorization: () => this.bearer(before) };
  }

  // A token that was replaced while the request was on its way is no fault of the request: it is made once more with the new one, under the
  // same key, since an attempt before may have done what it asks for.
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

  /** Counts the tokens that came: a request remembers it, to know later whether its own was overtaken meanwhile. */
  get turn(): number {
    return this.#turn;
  }

  /** Takes the token of a claim or a transition: it ended every other. */
  renew(token: string | null | undefined): void {
    if (token === null || token === undefined || token === this.#token) return;
    this.#token = token;
    this.#turn += 1;
  }

  /** Takes the token that came with a sign of life, unless another came since it was asked for: then this one may be of the phase before. */
  refresh(token: string | undefined, since: number): void {
    if (since === this.#turn) this.renew(token);
  }

  /** Takes over the phase after a claim or a transition. */
  enter({ phase, prompt }: { readonly phase: string | null; readonly prompt: string }): void {
    this.phase = phase ?? undefined;
    this.prompt = prompt;
  }

  /** Nothing is held any more. */
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
