import { z } from "@hono/zod-openapi";
import { constitutionOf, resetConstitution, updateConstitution, type RuleAuthor } from "@bylaw/plugin-constitution";
import { problem } from "../http/problem.ts";
import { defineRoute, reply, type CallerOf, type Route } from "../http/route.ts";
import { jsonObject } from "../http/shapes.ts";
import { admitReader } from "../service/admit-reader.ts";
import type { Service } from "../service/service.ts";

const rules = z.object({
  rules: z.array(
    z.object({
      id: z.int(),
      rule: z.string(),
      check: z.union([jsonObject, z.null()]),
      author: z.enum(["operator", "agent"]),
      by: z.string(),
    }),
  ),
});
// What a rule is the plugin says, and refuses in its own words.
const rule = z.strictObject({ rule: z.string(), check: jsonObject.optional() });
const common = {
  path: "/constitution",
  tags: ["agents"],
  callers: ["operator", "agent"],
  answers: { 200: { description: "The rules that hold", schema: rules } },
} as const;

/** The rules that the run gave itself. */
export const getConstitution: Route = defineRoute({
  ...common,
  method: "get",
  summary: "Read the rules that the run gave itself",
  async handle({ service, caller }) {
    await authorOf(service, caller, getConstitution);
    return reply({ rules: constitutionOf(service.run, service.now()) });
  },
});

/** Adds a rule. */
export const postConstitution: Route = defineRoute({
  ...common,
  method: "post",
  summary: "Add a rule that holds from now on",
  description: "A rule denies or asks, and never allows.",
  body: rule,
  async handle({ service, caller, body }) {
    return reply({ rules: await updateConstitution(service.run, body, await authorOf(service, caller, postConstitution)) });
  },
});

/** Replaces the rules. */
export const putConstitution: Route = defineRoute({
  ...common,
  method: "put",
  summary: "Replace the rules",
  description: "An agent replaces those that agents gave; those of operators stay.",
  body: z.strictObject({ rules: z.array(rule).max(1_000) }),
  async handle({ service, caller, body }) {
    return reply({ rules: await resetConstitution(service.run, body.rules, await authorOf(service, caller, putConstitution)) });
  },
});

/** Takes the rules away. */
export const deleteConstitution: Route = defineRoute({
  ...common,
  method: "delete",
  summary: "Take the rules away",
  description: "An agent takes away those that agents gave; those of operators stay.",
  async handle({ service, caller }) {
    return reply({ rules: await resetConstitution(service.run, [], await authorOf(service, caller, deleteConstitution)) });
  },
});

async function authorOf(service: Service, caller: CallerOf<"operator" | "agent">, route: Route): Promise<RuleAuthor> {
  if (!service.kernel.declared.plugins.includes("@bylaw/plugin-constitution"))
    throw problem({
      ...{ status: 404, code: "BYLAW_ROUTE_UNKNOWN", detail: "Unexpected path, expected one that the configuration has a plugin for" },
      fix: "add `@bylaw/plugin-constitution` to the configuration",
    });
  const at = service.now();
  if (caller.kind === "operator") {
    await service.run.catchUp();
    return { by: caller.name, author: "operator", at };
  }
  await admitReader(service, caller, route);
  return { by: caller.agent, author: "agent", at };
}
