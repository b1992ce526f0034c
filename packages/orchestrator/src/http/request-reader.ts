import { isRefusal, type Refusal } from "../auth/refusal.ts";
import { type Json } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import { wrongCaller } from "../auth/authenticate.ts";
import type { Caller, CallerKind } from "../auth/caller.ts";
import type { Service } from "../service/service.ts";
import type { AppContext } from "./app-env.ts";
import { TOKEN_BODY, readBody, type BodyLimits } from "./body.ts";
import type { Reservation } from "./in-flight.ts";
import { Problem, badRequest } from "./problem.ts";
import { textAt, type Route, type RouteRequest } from "./route.ts";

/** The most bytes in the body of a route that may wait, because these bytes are not counted while it waits. */
const WAITING_BODY = 65_536;
const REQUEST_ID = /^[!-~]{1,255}$/;
const TOKEN_IN_URL = /[?&][^=&]*(?:token|secret|authorization)[^=&]*=/i;
const SEE_ROUTE = "`GET /api/v1/openapi.json` describes what this route takes.";

interface CallerAndBody {
  readonly caller: Caller;
  readonly body: Json | undefined;
}

type Schema = NonNullable<Route["body"]>;

/** Reads one request: its caller, then its body, then what the route declares. Throws a problem for a request that is refused. */
export class RequestReader {
  readonly #context: AppContext;
  readonly #route: Route;
  readonly #service: Service;
  #reservation: Reservation | undefined;

  constructor(context: AppContext, route: Route, service: Service) {
    this.#context = context;
    this.#route = route;
    this.#service = service;
  }

  async read(): Promise<RouteRequest<CallerKind, unknown, unknown, unknown>> {
    const { req } = this.#context;
    this.#refuseTokenInUrl();
    const { caller, body: json } = await this.#callerAndBody();
    const { params: paramsShape, body: bodyShape, callers } = this.#route;
    const broken = this.#service.broken();
    if (broken !== undefined && !callers.includes("anyone")) throw broken;
    const params =
      paramsShape === undefined ? undefined : checked(paramsShape, req.param(), "path");
    const query = this.#query();
    const body = bodyShape === undefined ? undefined : checked(bodyShape, json, "body");
    const { closing } = this.#service;
    return {
      service: this.#service,
      route: this.#route,
      context: this.#context,
      caller,
      params,
      query,
      body,
      request_id: requestId(req.header("idempotency-key"), body),
      get signal() {
        return AbortSignal.any([req.raw.signal, closing]);
      },
    };
  }

  /** Frees the bytes that the request holds. */
  release(): void {
    this.#reservation?.release();
  }

  /** The caller is known before the body is read, unless the token is in the body. */
  async #callerAndBody(): Promise<CallerAndBody> {
    const shown = await this.#service.authenticate(this.#context.req.header("authorization"));
    const { token_in_body } = this.#route;
    if (token_in_body === true && !isRefusal(shown) && shown.kind === "anyone")
      return this.#callerFromBody(shown);
    const caller = await this.#admit(shown);
    this.#limit(caller);
    if (this.#route.body === undefined) return { caller, body: undefined };
    const body = await this.#readBody(caller, this.#bodyLimits());
    if (token_in_body === true) checkSameToken(caller, body);
    return { caller, body };
  }

  async #callerFromBody(anyone: Caller): Promise<CallerAndBody> {
    let body: Json;
    try {
      body = await this.#readBody(anyone, TOKEN_BODY);
    } catch (error) {
      await this.#recordUnread(anyone, error);
      throw error;
    }
    const token = textAt(body, "phase_token");
    const found =
      token === undefined ? anyone : await this.#service.authenticate(`Bearer ${token}`);
    const caller = await this.#admit(found, body);
    this.#reservation?.moveTo(caller);
    this.#limit(caller);
    return { caller, body };
  }

  #readBody(caller: Caller, limits: BodyLimits): Promise<Json> {
    this.#reservation = this.#service.inFlight.reserve(caller);
    return readBody(this.#context, limits, this.#reservation);
  }

  #bodyLimits(): BodyLimits {
    const { limits } = this.#service.settings;
    const bytes =
      this.#route.waits === true ? Math.min(WAITING_BODY, limits.body_bytes) : limits.body_bytes;
    return { bytes, values: limits.body_values };
  }

  #limit(caller: Caller): void {
    if (caller.kind === "agent") this.#service.limit?.(caller.agent);
  }

  /** Returns the caller if it may use the route. Otherwise records the refusal and throws it. */
  async #admit(shown: Caller | Refusal, body?: Json): Promise<Caller> {
    const { callers } = this.#route;
    if (!isRefusal(shown) && callers.includes(shown.kind)) return shown;
    // Public routes ignore credentials.
    if (callers.includes("anyone")) return { kind: "anyone" };
    const refusal = isRefusal(shown) ? shown : wrongCaller(shown, callers);
    const headers = refusal.status === 401 ? challenge(callers) : undefined;
    throw await this.#service.refused(
      { ...refusal, headers },
      {
        route: this.#route,
        task: shortTextAt(body, "task_id"),
        tool: shortTextAt(body, "tool_name"),
      },
    );
  }

  /** Records the refusal of a request whose body could have contained a token but was not read. */
  async #recordUnread(anyone: Caller, error: unknown): Promise<void> {
    const status = error instanceof Problem ? error.fields.status : undefined;
    if (status === 503) return;
    if (status !== 413) return void (await this.#admit(anyone));
    const refusal = wrongCaller(anyone, this.#route.callers);
    await this.#service.refused(refusal, { route: this.#route });
  }

  // URLs are logged, so a token in one is no longer secret.
  #refuseTokenInUrl(): void {
    if (TOKEN_IN_URL.test(this.#context.req.url))
      throw badRequest(
        "A token does not belong in a URL",
        "Send it as `Authorization: Bearer <token>`, and replace this one: URLs are kept in many logs.",
      );
  }

  #query(): unknown {
    const { searchParams } = new URL(this.#context.req.url);
    const given = new Map(searchParams);
    if (given.size < searchParams.size)
      throw badRequest("The query names a parameter more than once", "Give each parameter once.");
    const { query } = this.#route;
    if (query !== undefined) return checked(query, Object.fromEntries(given), "query");
    if (given.size > 0) throw badRequest("This route takes no query parameters", SEE_ROUTE);
    return undefined;
  }
}

/** What is recorded of a body that has not been validated yet. */
const shortTextAt = (body: Json | undefined, key: string): string | undefined =>
  textAt(body, key)?.slice(0, 256).toWellFormed();

function checked(schema: Schema, given: unknown, where: string): unknown {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw badRequest(
    `The ${where} of the request: ${describeIssues(parsed.error, `the ${where}`).slice(0, 2_000)}`,
    SEE_ROUTE,
  );
}

function checkSameToken(caller: Caller, body: Json): void {
  const token = textAt(body, "phase_token");
  if (token === undefined || (caller.kind === "agent" && caller.token === token)) return;
  throw badRequest(
    "The token in the body differs from the one in the header",
    "Send the token in the Authorization header alone.",
  );
}

function requestId(header: string | undefined, body: unknown): string | undefined {
  const inBody = (body as { readonly request_id?: string } | undefined)?.request_id;
  if (header === undefined) return inBody;
  if (!REQUEST_ID.test(header))
    throw badRequest("An Idempotency-Key has 1 to 255 visible characters, and no spaces");
  if (inBody === undefined || inBody === header) return header;
  throw badRequest(
    "`request_id` differs from the Idempotency-Key header",
    "Send one of them, or the same in both.",
  );
}

const challenge = (callers: readonly CallerKind[]): Readonly<Record<string, string>> => ({
  "www-authenticate": callers.includes("enrolled")
    ? 'Bearer realm="bylaw", Bylaw-Enrol realm="bylaw"'
    : 'Bearer realm="bylaw"',
});
