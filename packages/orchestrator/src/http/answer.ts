import { setImmediate as nextTurn } from "node:timers/promises";
import type { Service } from "../service/service.ts";
import type { AppContext } from "./app-env.ts";
import { problemOf } from "./error-problem.ts";
import { problemResponse } from "./problem.ts";
import { RequestReader } from "./request-reader.ts";
import type { Route } from "./route.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" } as const;

/** Answers a request by its route. */
export async function answer(
  context: AppContext,
  route: Route,
  service: Service,
): Promise<Response> {
  const received = performance.now();
  const response = await respond(context, route, service);
  service.answered?.(route, response.status, performance.now() - received);
  return response;
}

async function respond(context: AppContext, route: Route, service: Service): Promise<Response> {
  const reader = new RequestReader(context, route, service);
  try {
    const request = await reader.read();
    // A request that waits must not hold bytes that others need.
    if (route.waits === true) reader.release();
    const made = await route.handle(request as never);
    if (made instanceof Response) return made;
    const { status, body, headers } = made;
    return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
  } catch (error) {
    const response = problemResponse(problemOf(error, service));
    if (await isBodyLeft(context)) response.headers.set("connection", "close");
    return response;
  } finally {
    reader.release();
  }
}

/** Whether the client still sends a body, which nobody reads and which would hold up the connection. */
async function isBodyLeft({ env }: AppContext): Promise<boolean> {
  if (env?.incoming?.complete !== false) return false;
  // A short body came with its head, and Node has not looked at it yet.
  await nextTurn();
  return !env.incoming.complete;
}
