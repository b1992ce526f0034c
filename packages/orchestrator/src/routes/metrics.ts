import { wrongCaller } from "../auth/authenticate.ts";
import { problem } from "../http/problem.ts";
import { defineRoute, type Route } from "../http/route.ts";

/** The numbers of this node for Prometheus. */
export const getMetrics: Route = defineRoute({
  method: "get",
  path: "/metrics",
  summary: "Read the metrics of this node",
  description: "For operators; for anyone if `metrics.open` is set.",
  tags: ["server"],
  callers: ["operator", "agent", "enrolled", "anyone"],
  answers: { 200: { description: "Prometheus text" }, 401: { description: "No operator" } },
  async handle({ service, context }) {
    const { settings, operations } = service;
    if (!settings.metrics.open) {
      // The route declares anyone because a setting opens it; without that it asks for an operator like any other.
      const found = await service.authenticate(context.req.header("authorization"));
      if (!("kind" in found) || found.kind !== "operator") {
        const refusal = "kind" in found ? wrongCaller(found, ["operator"]) : found;
        await service.refused(refusal, { route: getMetrics, task: undefined, tool: undefined });
        throw problem(
          refusal.status === 401
            ? { ...refusal, headers: { "www-authenticate": 'Bearer realm="bylaw"' } }
            : refusal,
        );
      }
    }
    const { metrics } = operations;
    return new Response(await metrics.text(), {
      headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
    });
  },
});
