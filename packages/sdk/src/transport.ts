import { RequestInvalid, ServerFault, Unavailable, type AgentError } from "./errors.ts";
import { errorOf } from "./problem.ts";
import {
  pauseOf,
  retryAfter,
  retryRules,
  sleep,
  type RetryOptions,
  type RetryRules,
  type Sleep,
} from "./retry.ts";
import type { Json } from "./types.ts";

/** How a client talks to its server. */
export interface TransportOptions {
  /** The URL of the service, with or without `/api/v1`: `http://localhost:8000`. */
  readonly endpoint: string | URL;
  /** Whether to permit `http:` to another machine, which others on the network can read. Default: false. */
  readonly allow_http?: boolean;
  /** How often and how long a request is retried. */
  readonly retry?: RetryOptions;
  /** The time limit of one attempt, in milliseconds. Default 30,000. */
  readonly timeout_ms?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Replaces waiting, for tests. */
  readonly sleep?: Sleep;
  /** Replaces chance with a number from 0 to 1, for tests. */
  readonly random?: () => number;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path after the base: `/tasks/claim`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: RequestBody;
  /** The value of the Authorization header. Read for each attempt, because it may have changed. */
  readonly authorization: () => string;
  /** The tool of the request. */
  readonly tool?: string;
  /** The key with which the server executes the request once. Default: one key for all attempts of this request. */
  readonly request_id?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The time limit of one attempt, in milliseconds; Infinity for none. */
  readonly timeout_ms?: number | undefined;
}

/** The fields of a body. Undefined ones are left out. */
export type RequestBody = Readonly<Record<string, Json | object | undefined>>;

/** A successful answer, in the shape that the service documents. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

interface FailedAttempt {
  readonly error: AgentError;
  /** Whether a retry may help. */
  readonly again: boolean;
}

const AGAIN: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Sends requests and retries them. */
export class Transport {
  readonly sleep: Sleep;
  readonly #options: TransportOptions;
  readonly #base: string;
  readonly #rules: RetryRules;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#base = endpointOf(options.endpoint, { allow_http: options.allow_http === true });
    this.#rules = retryRules(options.retry ?? {});
    this.sleep = options.sleep ?? sleep;
  }

  /** Resolves to the answer. Rejects with an AgentError, or with the signal's reason. */
  async ask<Body>(request: ApiRequest): Promise<Answer<Body>> {
    const key = request.request_id ?? newKey();
    let waited = 0;
    for (let count = 1; ; count++) {
      request.signal?.throwIfAborted();
      const result = await this.#attempt(request, key);
      if (!("error" in result)) return result as Answer<Body>;
      const pause = this.pause(count, result.error.retry_after_ms);
      const { attempts, give_up_ms } = this.#rules;
      if (!result.again || count >= attempts || waited + pause > give_up_ms) throw result.error;
      waited += pause;
      await this.sleep(pause, request.signal);
    }
  }

  /** Resolves to the unread answer, for a stream. Makes one attempt without a time limit. Rejects like `ask`. */
  async open(request: ApiRequest): Promise<Response> {
    const authorization = request.authorization();
    const response = await this.#send(request, authorization, newKey(), Infinity).catch(
      (error: unknown) => {
        if (request.signal?.aborted === true) throw request.signal.reason;
        throw unreachable(error);
      },
    );
    if (response.ok) return response;
    throw refusal(request, authorization, response, await response.text().catch(() => ""));
  }

  /** The pause after an attempt in milliseconds, at least as long as the server asked for. */
  pause(attempt: number, asked_ms: number | undefined): number {
    const random = (this.#options.random ?? Math.random)();
    return pauseOf(attempt, this.#rules, { random, asked_ms });
  }

  async #attempt(request: ApiRequest, key: string): Promise<Answer<unknown> | FailedAttempt> {
    const authorization = request.authorization();
    const limit_ms = request.timeout_ms ?? this.#options.timeout_ms ?? 30_000;
    let response: Response;
    let text: string;
    try {
      response = await this.#send(request, authorization, key, limit_ms);
      text = await response.text();
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      return { error: unreachable(error), again: true };
    }
    const { ok, status } = response;
    if (!ok)
      return { error: refusal(request, authorization, response, text), again: AGAIN.has(status) };
    const body = parse(text);
    if (body !== undefined) return { status, body };
    const message = `The answer is not JSON (status ${status})`;
    return { error: new ServerFault({ code: "answer_unreadable", message, status }), again: false };
  }

  async #send(
    { method, path, query = {}, body, headers = {}, signal }: ApiRequest,
    authorization: string,
    key: string,
    limit_ms: number,
  ): Promise<Response> {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const limit = Number.isFinite(limit_ms) ? [AbortSignal.timeout(limit_ms)] : [];
    const signals = [...limit, ...(signal === undefined ? [] : [signal])];
    const { fetch = (to, init) => globalThis.fetch(to, init) } = this.#options;
    return fetch(url.href, {
      method,
      headers: {
        accept: "application/json",
        authorization,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" ? {} : { "idempotency-key": key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A credential must not be sent to another address or cached.
      redirect: "manual",
      cache: "no-store",
      credentials: "omit",
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
    });
  }
}

function refusal(
  request: ApiRequest,
  authorization: string,
  response: Response,
  text: string,
): AgentError {
  const { status, type, headers } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400))
    return new ServerFault({
      code: "redirected",
      status,
      message: "The service answered with a redirect",
      fix: "Set `endpoint` to the address of the service itself",
    });
  const retry_after_ms = retryAfter(headers.get("retry-after"), Date.now());
  const { tool } = request;
  return errorOf({ status, body: parse(text), retry_after_ms, tool, mask: maskOf(authorization) });
}

const unreachable = (cause: unknown): Unavailable =>
  new Unavailable({
    code: "unreachable",
    message: "The service did not answer",
    fix: "Check that it runs at `endpoint` and can be reached; repeating the request with the same request id is safe",
    cause,
  });

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

// A server or proxy may repeat the credential in its answer.
function maskOf(authorization: string): (text: string) => string {
  const [, secret = ""] = authorization.split(" ");
  return (text) => (secret === "" ? text : text.replaceAll(secret, "[credential]"));
}

/** Returns a credential. Refuses one that cannot be sent in a header. */
export function credentialOf(text: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new RequestInvalid({
    code: "request_invalid",
    message: `The ${what} must be printable characters without spaces`,
  });
}

const BASE = "/api/v1";
const HERE = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The base of all requests, without a trailing slash. Throws RequestInvalid for a URL to which no credential must be sent. */
function endpointOf(
  endpoint: string | URL,
  { allow_http }: { readonly allow_http: boolean },
): string {
  const refuse = (message: string, fix?: string): RequestInvalid =>
    new RequestInvalid({ code: "request_invalid", message, fix });
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw refuse("`endpoint` must be an address such as `https://bylaw.example.org`");
  }
  // The URL is not repeated, because it may contain a password.
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw refuse("`endpoint` must not hold credentials, a query or a fragment");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refuse(`\`endpoint\` must use https, not \`${url.protocol}\``);
  if (url.protocol === "http:" && !allow_http && !HERE.test(url.hostname))
    throw refuse(
      `\`${url.host}\` is another machine, so \`endpoint\` must use https`,
      "Use https, or set `allow_http` if the network in between is safe",
    );
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith(BASE) ? path : path + BASE}`;
}
