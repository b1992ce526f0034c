import { z } from "@hono/zod-openapi";
import type { JsonObject } from "@bylaw/kernel";
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
import { defineRoute, reply, type CallerOf, type Reply, type Route } from "../http/route.ts";
import { jsonObject } from "../http/shapes.ts";
import { admitReader } from "../auth/admit-reader.ts";
import { requestOwner, changeOnce, type Change } from "../service/change-once.ts";
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
  answers: { 200: { description: "The rules in force", schema: rules } },
} as const;

/** The rules that the run gave itself. */
export const getConstitution: Route = defineRoute({
  ...common,
  method: "get",
  summary: "Read the rules of the run",
  async handle({ service, caller }) {
    return told(service, await authorOf(service, caller, getConstitution));
  },
});

/** Adds a rule. */
export const postConstitution: Route = defineRoute({
  ...common,
  method: "post",
  summary: "Add a rule",
  description: "A rule denies or asks, and never allows.",
  body: rule,
  async handle({ service, caller, body, request_id }) {
    const author = await authorOf(service, caller, postConstitution);
    return changed(
      service,
      caller,
      author,
      { request_id, content: { method: "post", body: body as JsonObject } },
      (run) => updateConstitution(run, body, author),
    );
  },
});

/** Replaces the rules. */
export const putConstitution: Route = defineRoute({
  ...common,
  method: "put",
  summary: "Replace the rules",
  description:
    "An agent replaces its own rules, or those of all agents if they share them. Rules of operators stay.",
  body: z.strictObject({ rules: z.array(rule).max(1_000) }),
  async handle({ service, caller, body, request_id }) {
    const author = await authorOf(service, caller, putConstitution);
    return changed(
      service,
      caller,
      author,
      { request_id, content: { method: "put", body: body as unknown as JsonObject } },
      (run) => resetConstitution(run, body.rules, author),
    );
  },
});

/** Takes the rules away. */
export const deleteConstitution: Route = defineRoute({
  ...common,
  method: "delete",
  summary: "Remove the rules",
  description:
    "An agent removes its own rules, or those of all agents if they share them. Rules of operators stay.",
  async handle({ service, caller, request_id }) {
    const author = await authorOf(service, caller, deleteConstitution);
    return changed(service, caller, author, { request_id, content: { method: "delete" } }, (run) =>
      resetConstitution(run, [], author),
    );
  },
});

/** Changes the rules, once, and answers with those that hold then. */
async function changed(
  service: Service,
  caller: CallerOf<"operator" | "agent">,
  author: RuleAuthor,
  { request_id, content }: Pick<Change, "request_id" | "content">,
  make: (run: Run) => Promise<unknown>,
): Promise<Reply> {
  const types = ["constitution_updated", "constitution_reset"];
  await changeOnce(
    service,
    { ...requestOwner(caller), request_id, content: { route: "constitution", content }, types },
    make,
  );
  return told(service, author);
}

/** The rules, of which an agent is told those that hold for it: the words of another one are not those of anybody who may tell it what to do. */
function told(service: Service, { by, author, own = false }: RuleAuthor): Reply {
  const rules = constitutionOf(service.run, service.now());
  return reply({ rules: rulesFor(rules, by, author === "agent" && own) });
}

async function authorOf(
  service: Service,
  caller: CallerOf<"operator" | "agent">,
  route: Route,
): Promise<RuleAuthor> {
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
  await admitReader(service, caller, route);
  return { by: caller.agent, author: "agent", at, own: hasOwnRules(service.kernel) };
}
