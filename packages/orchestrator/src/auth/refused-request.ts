import type { RouteName } from "../http/route-name.ts";

/** What a refused request was about, as far as it says. */
export interface RefusedRequest {
  readonly route: RouteName;
  readonly task: string | undefined;
  readonly tool: string | undefined;
}
