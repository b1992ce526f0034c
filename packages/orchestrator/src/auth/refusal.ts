import type { ProblemFields } from "../http/problem.ts";
import type { Caller } from "./caller.ts";

/** Why a caller is refused. */
export interface Refusal extends ProblemFields {
  readonly status: 400 | 401 | 403;
  /** The kind of credential that was sent. */
  readonly credential: "agent" | "enrol" | "operator" | "none";
  /** The agent, if its identity is certain. */
  readonly agent?: string | undefined;
}

export const isRefusal = (value: Caller | Refusal): value is Refusal => "status" in value;

/** What identifies a route. */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}

/** What a refused request was about, as far as the request says. */
export interface RefusedRequest {
  readonly route: RouteName;
  readonly task?: string | undefined;
  readonly tool?: string | undefined;
}
