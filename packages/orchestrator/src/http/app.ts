import { Hono } from "hono";
import { cors } from "hono/cors";
import type { Service } from "../service/service.ts";
import { answer } from "./answer.ts";
import type { App } from "./app-env.ts";
import { problemResponse } from "./problem.ts";
import type { Route } from "./route.ts";

/** Below which every route stands. */
export const BASE = "/api/v1";

/** Creates the HTTP interface of a service. */
export function createApp(service: Service, routes: readonly Route[]): App {
  const app: App = new Hono();
  const { cors_origins } = service.settings;
  if (cors_origins.length > 0) app.use(allowOrigins(cors_origins));
  for (const route of routes)
    app.on(route.method.toUpperCase(), pathOf(route), (context) => answer(context, route, service));
  app.get("/", (context) => context.json({ status: "running", service: "bylaw", api: BASE }));
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

/** `/tasks/{id}` is `/api/v1/tasks/:id` for the router. */
const pathOf = ({ path }: Route): string => `${BASE}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;

// No cookie and nothing else that a browser sends by itself is a credential here.
const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    allowHeaders: ["authorization", "content-type", "idempotency-key", "last-event-id"],
    maxAge: 600,
  });

const METHODS = ["DELETE", "GET", "POST", "PUT"];

/** The methods that a path has a route for. */
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
