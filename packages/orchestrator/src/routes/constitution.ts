import { z } from "@hono/zod-openapi";
import type { Json } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import {
  constitutionOf,
  hasOwnRules,
  resetConstitution,
  rulesFor,
  updateConstitution,
  type RuleAuthor,
} from "@bylaw/plugin-constitution";
import { problem } from "../http/problem.ts";
import { defineRoute, reply, type Reply, type RouteRequest } from "../http/route.ts";
import { jsonObject } from "../http/shapes.ts";
import { admitReader } from "../auth/admission.ts";
import { changeOnce } from "../service/change-once.ts";
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
// The plugin defines what a rule is, and refuses others with its own message.
const rule = z.strictObject({ rule: z.string(), check: jsonObject.optional() });
const common = {
  path: "/constitution",
  tags: ["agents"],
  callers: ["operator", "agent"],
  answers: { 200: { description: "The rules in force", schema: rules } },
} as const;

export const getConstitution = defineRoute({
  ...common,
  method: "get",
  summary: "Read the rules of the run",
  handle: async (request) => rulesReply(request.service, await authorOf(request)),
});

export const postConstitution = defineRoute({
  ...common,
  method: "post",
  summary: "Add a rule",
  description: "A rule denies or asks, and never allows.",
  body: rule,
  handle: (request) =>
    changed(request, { method: "post", body: request.body as Json }, (run, author) =>
      updateConstitution(run, request.body, author),
    ),
});

export const putConstitution = defineRoute({
  ...common,
  method: "put",
  summary: "Replace the rules",
  description:
    "An agent replaces its own rules, or those of all agents if they share them. Rules of operators stay.",
  body: z.strictObject({ rules: z.array(rule).max(1_000) }),
  handle: (request) =>
    changed(request, { method: "put", body: request.body as unknown as Json }, (run, author) =>
      resetConstitution(run, request.body.rules, author),
    ),
});

export const deleteConstitution = defineRoute({
  ...common,
  method: "delete",
  summary: "Remove the rules",
  description:
    "An agent removes its own rules, or those of all agents if they share them. Rules of operators stay.",
  handle: (request) =>
    changed(request, { method: "delete" }, (run, author) => resetConstitution(run, [], author)),
});

type RulesRequest = RouteRequest<"operator" | "agent", unknown, unknown, unknown>;

/** Changes the rules, once, and returns those in force afterwards. */
async function changed(
  request: RulesRequest,
  content: Json,
  make: (run: Run, author: RuleAuthor) => Promise<unknown>,
): Promise<Reply> {
  const author = await authorOf(request);
  const types = ["constitution_updated", "constitution_reset"];
  const change = { content: { route: "constitution", content }, types };
  await changeOnce(request, change, (run) => make(run, author));
  return rulesReply(request.service, author);
}

/** Returns the rules. An agent sees only those that apply to it, because another agent's words must not act as instructions to it. */
function rulesReply(service: Service, { by, author, own = false }: RuleAuthor): Reply {
  const rules = constitutionOf(service.run, service.now());
  return reply({ rules: rulesFor(rules, by, author === "agent" && own) });
}

async function authorOf({ service, caller, route }: RulesRequest): Promise<RuleAuthor> {
  if (!service.kernel.plugins.some(({ plugin }) => plugin.name === "@bylaw/plugin-constitution"))
    throw problem({
      status: 404,
      code: "BYLAW_ROUTE_UNKNOWN",
      detail: "The configuration has no plugin for this path",
      fix: "Add `@bylaw/plugin-constitution` to the configuration.",
    });
  const at = service.now();
  if (caller.kind === "operator") {
    await service.run.catchUp();
    return { by: caller.name, author: "operator", at };
  }
  await admitReader({ service, caller, route });
  return { by: caller.agent, author: "agent", at, own: hasOwnRules(service.kernel) };
}
