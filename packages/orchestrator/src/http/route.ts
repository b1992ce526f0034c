import { isJsonObject, type Json } from "@bylaw/kernel";
import type { z } from "zod";
import type { Caller, CallerKind } from "../auth/caller.ts";
import type { Service } from "../service/service.ts";
import type { AppContext } from "./app-env.ts";

/** A caller of one of these kinds. */
export type CallerOf<Kinds extends CallerKind> = Extract<Caller, { readonly kind: Kinds }>;

/** A request that passed all checks: its caller may ask, and it has the shape that the route declares. */
export interface RouteRequest<Kinds extends CallerKind, Params, Query, Body> {
  readonly service: Service;
  readonly route: Route;
  readonly caller: CallerOf<Kinds>;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The id of the request that its client gave, so that it may ask again. */
  readonly request_id: string | undefined;
  /** Is aborted when the client leaves or the server closes. */
  readonly signal: AbortSignal;
  readonly context: AppContext;
}

/** What a request is answered with. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Makes an answer in JSON. */
export const reply = (
  body: unknown,
  { status = 200, headers }: Partial<Omit<Reply, "body">> = {},
): Reply => ({ status, body, headers });

/** How one status is documented. */
interface AnswerSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
}

type Output<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise;

/** One method of one path: who may ask, for what, and what becomes of it. */
export interface RouteDefinition<
  Kinds extends CallerKind,
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
> {
  readonly method: "get" | "post" | "put" | "delete";
  /** Below the base of the interface, with parameters as `{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Who may ask. Everybody else is refused before the body is read. */
  readonly callers: readonly Kinds[];
  readonly params?: Params;
  /** Left out: a request with a query is refused. */
  readonly query?: Query;
  readonly body?: Body;
  /** Whether an agent may send its token as `phase_token` in the body. */
  readonly token_in_body?: boolean;
  /** Whether it may wait for something to happen. Its body is small then, and does not count as in flight while it waits. */
  readonly waits?: boolean;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  handle(
    request: RouteRequest<
      Kinds,
      Output<Params, undefined>,
      Output<Query, undefined>,
      Output<Body, undefined>
    >,
  ): Promise<Reply | Response> | Reply | Response;
}

/** A route, whatever it takes. */
export interface Route extends Omit<
  RouteDefinition<CallerKind, z.ZodType | undefined, z.ZodType | undefined, z.ZodType | undefined>,
  "handle"
> {
  handle(
    request: RouteRequest<never, never, never, never>,
  ): Promise<Reply | Response> | Reply | Response;
}

/** Returns its argument, typed. */
export function defineRoute<
  const Kinds extends CallerKind,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(route: RouteDefinition<Kinds, Params, Query, Body>): Route {
  return route as unknown as Route;
}

/** A text of a body before it is known to be what the route takes. */
export const textAt = (body: Json | undefined, key: string): string | undefined => {
  const value = body !== undefined && isJsonObject(body) ? body[key] : undefined;
  return typeof value === "string" ? value : undefined;
};
