import { isBylawError } from "@bylaw/config";
import { StoreConflict, issuesOf, messageOf, type Json } from "@bylaw/kernel";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { isRefusal, unfit, type Refusal } from "../auth/authenticate.ts";
import type { Caller, CallerKind } from "../auth/caller.ts";
import type { Service } from "../service/service.ts";
import { readBody } from "./body.ts";
import { Problem, problem, problemResponse, type ProblemFields } from "./problem.ts";
import type { Requested } from "./requested.ts";
import { textAt, type Asked, type CallerOf, type Reply, type Route } from "./route.ts";
import { statusOf } from "./status-of.ts";
import { endOfTurn } from "./turn.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" } as const;
const REQUEST_ID = /^[!-~]{1,255}$/;

interface Answered {
  readonly status: number;
  readonly response: Response;
}

/**
 * Answers a request by a route: nothing reaches its handler but what it declares, from whom it declares. `RESPONSE_ALREADY_SENT` where the answer
 * is out.
 */
export async function answer(request: Requested, route: Route, service: Service): Promise<Response> {
  const { status, response } = await answered(request, route, service);
  service.answered?.(route, status, performance.now() - request.came);
  return response;
}

async function answered(request: Requested, route: Route, service: Service): Promise<Answered> {
  try {
    const made = await route.handle((await understood(request, route, service)) as never);
    return made instanceof Response ? { status: made.status, response: made } : await written(made, request);
  } catch (error) {
    const response = problemResponse(fieldsOf(error, service));
    return { status: response.status, response };
  }
}

async function written({ status, body, headers: more }: Reply, { outgoing }: Requested): Promise<Answered> {
  const text = JSON.stringify(body);
  const headers = more === undefined ? HEADERS : { ...HEADERS, ...more };
  if (outgoing === undefined) return { status, response: new Response(text, { status, headers }) };
  await endOfTurn();
  // Straight to the socket: a Response makes a stream of a text, to be read again, which costs as much as a decision.
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
  return { status, response: RESPONSE_ALREADY_SENT };
}

async function understood(request: Requested, route: Route, service: Service): Promise<Asked<CallerKind, unknown, unknown, unknown>> {
  checkUrl(request.url);
  // Most of it is known at once, and every turn that is waited for costs as much as a look-up.
  const shown = service.authenticate(request.header("authorization"));
  let found = shown instanceof Promise ? await shown : shown;
  let body: Json | undefined;
  // A token may be in the body, and what is refused is on record with what it was about.
  const early = route.token_in_body !== true;
  if (early && !fits(found, route)) found = await admitted(found, route, service, undefined);
  if (route.body !== undefined) {
    try {
      body = await readBody(request, service.settings.limits.body_bytes);
    } catch (error) {
      if (!early) await admitted(found, route, service, undefined);
      throw error;
    }
  }
  if (!early) {
    const token = textIn(body, "phase_token");
    if (token !== undefined) found = await withBodyToken(found, token, service);
    if (!fits(found, route)) found = await admitted(found, route, service, body);
  }
  const caller = found as Caller;
  if (caller.kind === "agent") service.limit?.(caller.agent);
  const params = route.params === undefined ? undefined : held(route.params, request.params(), "path");
  const query = queryOf(request, route);
  const wanted = route.body === undefined ? undefined : held(route.body, body, "body");
  return new Understood({
    service,
    caller,
    params,
    query,
    body: wanted,
    request,
    request_id: requestId(request.header("idempotency-key"), wanted),
  });
}

interface Terms extends Omit<Asked<CallerKind, unknown, unknown, unknown>, "signal"> {
  readonly request: Requested;
}

/** A class, since an object that is written down with a getter has a shape of its own, which holds the whole request until all memory is looked through. */
class Understood implements Asked<CallerKind, unknown, unknown, unknown> {
  readonly service: Service;
  readonly caller: CallerOf<CallerKind>;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly request_id: string | undefined;
  readonly request: Requested;

  constructor({ service, caller, params, query, body, request_id, request }: Terms) {
    this.service = service;
    this.caller = caller;
    this.params = params;
    this.query = query;
    this.body = body;
    this.request_id = request_id;
    this.request = request;
  }

  // Most routes wait for nothing, and a signal costs as much as a decision.
  get signal(): AbortSignal {
    return AbortSignal.any([this.request.left(), this.service.closing]);
  }
}

async function withBodyToken(found: Caller | Refusal, token: string, service: Service): Promise<Caller | Refusal> {
  if ("kind" in found && found.kind === "anyone") return await service.authenticate(`Bearer ${token}`);
  if ("kind" in found && found.kind === "agent" && found.token === token) return found;
  throw problem({
    ...{ status: 400, code: "BYLAW_REQUEST_INVALID", detail: "Unexpected token in the body beside another in the header, expected one" },
    fix: "send the token in the Authorization header alone",
  });
}

const fits = (found: Caller | Refusal, route: Route): found is Caller =>
  !isRefusal(found) && (route.callers as readonly string[]).includes(found.kind);

async function admitted(found: Caller | Refusal, route: Route, service: Service, body: Json | undefined): Promise<Caller> {
  if (fits(found, route)) return found;
  // Whoever shows something where nothing has to be shown is not held to it.
  if (route.callers.includes("anyone")) return { kind: "anyone" };
  const refusal = isRefusal(found) ? found : unfit(found, route.callers);
  await service.refused(refusal, { route, task: textAt(body, "task_id"), tool: textAt(body, "tool_name") });
  const challenge = route.callers.includes("enrolled") ? 'Bearer realm="bylaw", Bylaw-Enrol realm="bylaw"' : 'Bearer realm="bylaw"';
  throw problem(refusal.status === 401 ? { ...refusal, headers: { "www-authenticate": challenge } } : refusal);
}

function held(schema: NonNullable<Route["body"]>, given: unknown, where: string): unknown {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const detail = `Unexpected ${where}: ${issuesOf(parsed.error).slice(0, 2_000)}`;
  throw problem({ status: 400, code: "BYLAW_REQUEST_INVALID", detail, fix: "see what the route takes in /api/v1/openapi.json" });
}

const TOKEN_IN_URL = /[?&][^=&]*(?:token|secret|authorization)[^=&]*=/i;

// Whoever it is: addresses stand in logs, and what is in one is no secret any more.
function checkUrl(url: string): void {
  if (!TOKEN_IN_URL.test(url)) return;
  throw problem({
    ...{ status: 400, code: "BYLAW_REQUEST_INVALID", detail: "Unexpected token in a URL, expected it in the Authorization header" },
    fix: "send it as `Authorization: Bearer <token>`, and have this one replaced: a URL is kept in many logs",
  });
}

function queryOf({ url }: Requested, route: Route): unknown {
  const at = url.indexOf("?");
  const pairs = at === -1 ? [] : [...new URLSearchParams(url.slice(at + 1).replace(/#.*$/, ""))];
  const given = new Map(pairs);
  if (given.size < pairs.length)
    throw problem({ status: 400, code: "BYLAW_REQUEST_INVALID", detail: "Unexpected query that says something twice, expected each once" });
  if (route.query !== undefined) return held(route.query, Object.fromEntries(given), "query");
  if (pairs.length === 0) return undefined;
  throw problem({
    ...{ status: 400, code: "BYLAW_REQUEST_INVALID", detail: "Unexpected query, expected none" },
    fix: "see what the route takes in /api/v1/openapi.json",
  });
}

function requestId(header: string | undefined, body: unknown): string | undefined {
  const inBody = (body as { readonly request_id?: string } | undefined)?.request_id;
  if (header === undefined) return inBody;
  if (!REQUEST_ID.test(header))
    throw problem({
      status: 400,
      code: "BYLAW_REQUEST_INVALID",
      detail: "Unexpected Idempotency-Key, expected 1 to 255 visible characters",
    });
  if (inBody === undefined || inBody === header) return header;
  throw problem({
    ...{ status: 400, code: "BYLAW_REQUEST_INVALID" },
    detail: "Unexpected `request_id` beside another Idempotency-Key, expected the same",
  });
}

const textIn = (body: Json | undefined, key: string): string | undefined => {
  const value =
    typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Readonly<Record<string, Json>>)[key] : undefined;
  return typeof value === "string" ? value : undefined;
};

/** What a client is told of an error. Of a failure of the server it is told nothing but that. */
function fieldsOf(error: unknown, service: Pick<Service, "log" | "over">): ProblemFields {
  if (error instanceof Problem) return error.fields;
  if (error instanceof StoreConflict)
    return {
      status: 409,
      code: "BYLAW_STORE_CONFLICT",
      detail: "Unexpected change in between, expected the state that was read",
      fix: "ask again",
    };
  if (isBylawError(error)) {
    const status = statusOf(error.code);
    if (status !== undefined) return { status, code: error.code, detail: error.message, fix: error.fix };
  }
  if (service.over.aborted)
    return {
      status: 503,
      code: "BYLAW_SERVICE_CLOSING",
      detail: "Unexpected request while the server ends, expected one that runs",
      fix: "ask another node, or this one again when it is back",
    };
  service.log.error({ err: messageOf(error) }, "a request failed");
  return {
    status: 500,
    code: "BYLAW_SERVICE_FAILED",
    detail: "Unexpected failure of the server, expected an answer",
    fix: "ask again later; the server's log says more",
  };
}
