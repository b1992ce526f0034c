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
  /** The request id that the client chose, so that it may repeat the request. */
  readonly request_id: string | undefined;
  /** Aborted when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  readonly context: AppContext;
}

/** The answer to a request. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Creates a JSON answer. */
export const reply = (
  body: unknown,
  { status = 200, headers }: Partial<Omit<Reply, "body">> = {},
): Reply => ({ status, body, headers });

/** The documentation of one status. */
interface AnswerSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
}

type Output<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise;

/** One method of one path: who may use it, its parameters and its handler. */
export interface RouteDefinition<
  Kinds extends CallerKind,
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
> {
  readonly method: "get" | "post" | "put" | "delete";
  /** The path after the base, with parameters as `{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** The kinds of callers that may use it. All others are refused before the body is read. */
  readonly callers: readonly Kinds[];
  readonly params?: Params;
  /** Left out: a request with a query is refused. */
  readonly query?: Query;
  readonly body?: Body;
  /** Whether an agent may send its token as `phase_token` in the body. */
  readonly token_in_body?: boolean;
  /** Whether it may wait for something. Its body is then small and not counted as in flight while it waits. */
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

/** A route with any types. */
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

/** A text in a body that has not been validated yet. */
export const textAt = (body: Json | undefined, key: string): string | undefined => {
  const value = body !== undefined && isJsonObject(body) ? body[key] : undefined;
  return typeof value === "string" ? value : undefined;
};
