import { RequestInvalid, ServerFault, Unavailable, type AgentError } from "./errors.ts";
import { endpointOf } from "./endpoint.ts";
import { errorOf } from "./problem.ts";
import { pauseOf, retryAfter, retryRules, sleep, type RetryOptions, type Sleep } from "./retry.ts";
import type { Json, JsonObject } from "./types.ts";

/** How a client talks to its server. */
export interface TransportOptions {
  /** Where the service is, with or without `/api/v1`: `http://localhost:8000`. */
  readonly endpoint: string | URL;
  /** Lets `http:` go to another machine, where what is sent can be read on the way. Default false. */
  readonly allow_http?: boolean;
  /** How often and how long a request is made again. */
  readonly retry?: RetryOptions;
  /** The longest that one attempt may take, in milliseconds. Default 30,000. */
  readonly timeout_ms?: number;
  /** Instead of the global one. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Instead of waiting: for tests. */
  readonly sleep?: Sleep;
  /** Instead of chance, from 0 to 1: for tests. */
  readonly random?: () => number;
}

/** One request. */
export interface Ask {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the base: `/tasks/claim`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: JsonObject;
  /** The value of the Authorization header. Read for each attempt, since it may have changed. */
  readonly authorization: () => string;
  /** The tool that it is about. */
  readonly tool?: string;
  /** The key under which the server does this once. Default: one for all attempts of this request. */
  readonly request_id?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The longest that one attempt may take, in milliseconds. Infinity: no limit. */
  readonly timeout_ms?: number | undefined;
}

/** An answer that is no error. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Makes requests, and makes them again. */
export interface Transport {
  /** Resolves to the answer; rejects with an AgentError, or with the signal's reason. */
  ask(request: Ask): Promise<Answer>;
  /** The answer as it comes, for a stream: one attempt, no time limit. Rejects like `ask`. */
  open(request: Ask): Promise<Response>;
  readonly sleep: Sleep;
  /** The pause after an attempt in milliseconds, of which the server asked for so many. */
  pause(attempt: number, asked_ms: number | undefined): number;
}

const AGAIN: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function createTransport(options: TransportOptions): Transport {
  const base = endpointOf(options.endpoint, { allow_http: options.allow_http === true });
  const rules = retryRules(options.retry ?? {});
  const wait = options.sleep ?? sleep;
  const random = options.random ?? Math.random;
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  const pauseAfter = (attempt: number, asked_ms: number | undefined): number =>
    pauseOf(attempt, rules, { random: random(), asked_ms });

  async function send(
    request: Ask,
    authorization: string,
    key: string,
    limit_ms: number,
  ): Promise<Response> {
    const { method, path, query = {}, body, headers = {}, signal } = request;
    const url = new URL(base + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const limit = Number.isFinite(limit_ms) ? [AbortSignal.timeout(limit_ms)] : [];
    const signals = [...limit, ...(signal === undefined ? [] : [signal])];
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
      // A credential goes nowhere but where it was meant to go, and into no cache.
      redirect: "manual",
      cache: "no-store",
      credentials: "omit",
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
    });
  }

  function refusal(
    request: Ask,
    authorization: string,
    response: Response,
    text: string,
  ): AgentError {
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      return new ServerFault({
        ...{ code: "redirected", status: response.status },
        message: "The service answered with a redirect",
        fix: "Set `endpoint` to the address of the service itself",
      });
    const retry_after_ms = retryAfter(response.headers.get("retry-after"), Date.now());
    const mask = maskOf(authorization);
    return errorOf({
      status: response.status,
      body: parse(text),
      retry_after_ms,
      tool: request.tool,
      mask,
    });
  }

  // The answer, or what became of the attempt and whether another one may help.
  async function attempt(
    request: Ask,
    key: string,
  ): Promise<Answer | { readonly error: AgentError; readonly again: boolean }> {
    const authorization = request.authorization();
    let response: Response;
    let text: string;
    try {
      response = await send(
        request,
        authorization,
        key,
        request.timeout_ms ?? options.timeout_ms ?? 30_000,
      );
      text = await response.text();
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      return { error: unreachable(error), again: true };
    }
    if (!response.ok)
      return {
        error: refusal(request, authorization, response, text),
        again: AGAIN.has(response.status),
      };
    const body = parse(text);
    if (body !== undefined) return { status: response.status, body };
    const message = `The answer is not JSON (status ${response.status})`;
    return {
      error: new ServerFault({ code: "answer_unreadable", message, status: response.status }),
      again: false,
    };
  }

  return {
    async ask(request) {
      const key = request.request_id ?? newKey();
      let waited = 0;
      for (let count = 1; ; count++) {
        request.signal?.throwIfAborted();
        const result = await attempt(request, key);
        if (!("error" in result)) return result;
        const pause = pauseAfter(count, result.error.retry_after_ms);
        if (!result.again || count >= rules.attempts || waited + pause > rules.give_up_ms)
          throw result.error;
        waited += pause;
        await wait(pause, request.signal);
      }
    },
    async open(request) {
      const authorization = request.authorization();
      let response: Response;
      try {
        response = await send(request, authorization, newKey(), Infinity);
      } catch (error) {
        if (request.signal?.aborted === true) throw request.signal.reason;
        throw unreachable(error);
      }
      if (response.ok) return response;
      throw refusal(request, authorization, response, await response.text().catch(() => ""));
    },
    sleep: wait,
    pause: pauseAfter,
  };
}

const unreachable = (cause: unknown): Unavailable =>
  new Unavailable({
    code: "unreachable",
    message: "The service did not answer",
    fix: "Check that it runs at `endpoint` and can be reached; repeating the request with the same request id is safe",
    cause,
  });

/** A new idempotency key. */
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

// A server, or a proxy before it, may repeat what it was sent.
function maskOf(authorization: string): (text: string) => string {
  const [, secret = ""] = authorization.split(" ");
  return (text) => (secret === "" ? text : text.replaceAll(secret, "[credential]"));
}

/** Refuses what can be no credential: a header would break on it. Returns it. */
export function credentialOf(text: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new RequestInvalid({
    code: "request_invalid",
    message: `The ${what} must be printable characters without spaces`,
  });
}
