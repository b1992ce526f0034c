import type { Route } from "../http/route.ts";
import { claimTask } from "./claim.ts";
import { getHealth } from "./health.ts";

/** Every route of the interface. */
export const ROUTES: readonly Route[] = [getHealth, claimTask];
