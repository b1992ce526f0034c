import { setImmediate as nextTurn } from "node:timers/promises";
import { PAGE_FILES, pageFile } from "@bylaw/dashboard";
import { Hono } from "hono";
import { cors } from "hono/cors";
import type { Service } from "../service/service.ts";
import { serveAnswerPages } from "../notify/answer-page.ts";
import type { App, AppContext } from "./app-env.ts";
import { problemOf } from "./error-problem.ts";
import { problemResponse } from "./problem.ts";
import { RequestReader } from "./request-reader.ts";
import type { Route } from "./route.ts";

/** The path prefix of every route. */
export const BASE = "/api/v1";

export function createApp(service: Service, routes: readonly Route[]): App {
  const app: App = new Hono();
  const { cors_origins } = service.settings;
  if (cors_origins.length > 0) app.use(allowOrigins(cors_origins));
  for (const route of routes)
    app.on(route.method.toUpperCase(), pathOf(route), (context) => answer(context, route, service));
  serveAnswerPages(app, `${BASE}/answers/:link`, service);
  app.get("/", (context) => context.json({ status: "running", service: "bylaw", api: BASE }));
  app.get("/ui", () => pageFile("index.html", "token"));
  for (const file of PAGE_FILES) app.get(`/ui/${file}`, () => pageFile(file, "token"));
  app.notFound(({ req }) => {
    const allowed = methodsAt(app, req.path);
    if (allowed.length > 0) return methodNotAllowed(req.method, allowed);
    return problemResponse({
      status: 404,
      code: "BYLAW_ROUTE_UNKNOWN",
      detail: "There is nothing at this path",
      fix: `See ${BASE}/openapi.json for the routes.`,
    });
  });
  app.onError((error) => {
    service.log.error({ err: error.message }, "a request failed outside of its route");
    return problemResponse({
      status: 500,
      code: "BYLAW_SERVICE_FAILED",
      detail: "The server failed to answer this request",
    });
  });
  return app;
}

/** Converts `/tasks/{id}` to `/api/v1/tasks/:id` for the router. */
const pathOf = ({ path }: Route): string => `${BASE}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;

// No cookie, and nothing else that a browser sends by itself, is a credential here.
const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    allowHeaders: ["authorization", "content-type", "idempotency-key", "last-event-id"],
    maxAge: 600,
  });

const METHODS = ["DELETE", "GET", "POST", "PUT"];

const methodsAt = (app: App, path: string): readonly string[] =>
  METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );

function methodNotAllowed(method: string, allowed: readonly string[]): Response {
  const allow = allowed.join(", ");
  return problemResponse({
    status: 405,
    code: "BYLAW_METHOD_UNSUPPORTED",
    detail: `This path does not take ${method}`,
    fix: `Use ${allow}.`,
    headers: { allow },
  });
}

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" } as const;

async function answer(context: AppContext, route: Route, service: Service): Promise<Response> {
  const received = performance.now();
  const response = await respond(context, route, service);
  service.answered?.(route, response.status, performance.now() - received);
  return response;
}

async function respond(context: AppContext, route: Route, service: Service): Promise<Response> {
  const reader = new RequestReader(context, route, service);
  try {
    const request = await reader.read();
    // A waiting request must not hold bytes that others need.
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

/** Whether the client still sends a body that nobody reads, which would block the connection. */
async function isBodyLeft({ env }: AppContext): Promise<boolean> {
  if (env?.incoming?.complete !== false) return false;
  // A short body arrives with its head, and Node has not processed it yet.
  await nextTurn();
  return !env.incoming.complete;
}
