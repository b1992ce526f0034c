import { wrongCaller } from "../auth/authenticate.ts";
import { defineRoute } from "../http/route.ts";

/** The numbers of this node for Prometheus. */
export const getMetrics = defineRoute({
  method: "get",
  path: "/metrics",
  summary: "Read the metrics of this node",
  description: "For operators; for anyone if `metrics.open` is set.",
  tags: ["server"],
  callers: ["operator", "agent", "enrolled", "anyone"],
  answers: { 200: { description: "Prometheus text" }, 401: { description: "No operator" } },
  async handle({ service, route, context }) {
    const { settings, operations } = service;
    if (!settings.metrics.open) {
      // The route declares anyone because a setting opens it; without that it asks for an operator like any other.
      const found = await service.authenticate(context.req.header("authorization"));
      if (!("kind" in found) || found.kind !== "operator") {
        const refusal = "kind" in found ? wrongCaller(found, ["operator"]) : found;
        const headers =
          refusal.status === 401 ? { "www-authenticate": 'Bearer realm="bylaw"' } : undefined;
        throw await service.refused({ ...refusal, headers }, { route });
      }
    }
    const { metrics } = operations;
    return new Response(await metrics.text(), {
      headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
    });
  },
});
