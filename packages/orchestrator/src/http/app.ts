import { Hono } from "hono";
import type { Service } from "../service/service.ts";
import { allowOrigins } from "./cors.ts";
import { mount } from "./mount.ts";
import { problemResponse } from "./problem.ts";
import type { Route } from "./route.ts";
import { StaticRouter } from "./static-router.ts";

/** Below which every route stands. */
export const BASE = "/api/v1";

/** Makes the interface of a service. What is no route is refused, whoever asks. */
export function createApp(service: Service, routes: readonly Route[]): Hono {
  const app = new Hono({ router: new StaticRouter() });
  allowOrigins(app, service.settings.cors_origins);
  // What is asked for the right path by the wrong method is looked for afterwards: a second handler of the path would run with every request.
  const methods = new StaticRouter<string>();
  for (const route of routes) methods.add(route.method.toUpperCase(), mount(app, BASE, route, service), route.method.toUpperCase());
  const known = [...new Set(routes.map(({ method }) => method.toUpperCase()))].sort();
  const allowed = (path: string): readonly string[] => known.filter((method) => methods.match(method, path)[0].length > 0);
  app.get("/", (context) => context.json({ status: "running", service: "bylaw", api: BASE }));
  app.notFound(({ req }) => {
    const allow = allowed(req.path).join(", ");
    return problemResponse(
      allow === ""
        ? {
            ...{ status: 404, code: "BYLAW_ROUTE_UNKNOWN", detail: "Unexpected path, expected one of the interface" },
            fix: `see ${BASE}/openapi.json`,
          }
        : { status: 405, code: "BYLAW_METHOD_UNSUPPORTED", detail: `Unexpected method, expected ${allow}`, headers: { allow } },
    );
  });
  app.onError((error) => {
    service.log.error({ err: error.message }, "a request failed outside of its route");
    return problemResponse({ status: 500, code: "BYLAW_SERVICE_FAILED", detail: "Unexpected failure of the server, expected an answer" });
  });
  return app;
}
