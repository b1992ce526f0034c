import type { ServerResponse } from "node:http";
import type { Hono } from "hono";

const METHODS = "GET, POST, PUT, DELETE";
const HEADERS = "authorization, content-type, idempotency-key, last-event-id";
/** For how many seconds a browser need not ask again. */
const AGE = "600";

/**
 * Lets pages of these origins ask, and no others. Nothing that a browser sends of itself is a credential here, so this opens nothing
 * to whoever has none.
 */
export function allowOrigins(app: Hono, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.use(async (context, next) => {
    const { req, env } = context;
    const origin = req.header("origin");
    const allowed =
      origin !== undefined && origins.includes(origin) ? { "access-control-allow-origin": origin, vary: "origin" } : undefined;
    if (allowed !== undefined && req.method === "OPTIONS") {
      const asked = { "access-control-allow-methods": METHODS, "access-control-allow-headers": HEADERS, "access-control-max-age": AGE };
      return new Response(null, { status: 204, headers: { ...allowed, ...asked } });
    }
    const outgoing = (env as { readonly outgoing?: ServerResponse } | undefined)?.outgoing;
    if (allowed !== undefined) for (const [name, value] of Object.entries(allowed)) outgoing?.setHeader(name, value);
    return next();
  });
}
