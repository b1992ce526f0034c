import { OpenAPIHono } from "@hono/zod-openapi";
import type { JsonObject } from "@bylaw/kernel";
import type { CallerKind } from "../auth/caller.ts";
import type { Route } from "./route.ts";
import { problemShape } from "./shapes.ts";

type Registry = OpenAPIHono["openAPIRegistry"];
type PathConfig = Parameters<Registry["registerPath"]>[0];

const SECURITY: Readonly<Record<Exclude<CallerKind, "anyone">, string>> = {
  agent: "phase_token",
  operator: "operator_token",
  enrolled: "enrolment",
};

/** The refusals that every route may answer with. */
const REFUSED = {
  400: "The request is wrong",
  401: "No credential, or an unknown one",
  403: "Not for this caller, or the token is no longer valid",
  429: "Too many requests",
} as const;

const TAGS = [
  ["tasks", "Claim a task, and move it through its phases"],
  ["tools", "Ask whether a tool call may run, or have it run"],
  ["agents", "Judge responses, steer the workflow, and set rules"],
  ["consensus", "Answer, vote and agree"],
  ["approvals", "What waits for a person"],
  ["state", "Read the state of a task"],
  ["audit", "Search the log"],
  ["events", "Follow the log"],
  ["status", "Read the status of the run"],
  ["server", "The server itself"],
] as const;

/** Describes routes as OpenAPI 3.1, from the schemas that validate requests. `base`: the prefix of their paths. */
export function describeRoutes(
  routes: readonly Route[],
  { base, version }: { readonly base: string; readonly version: string },
): JsonObject {
  const described = new OpenAPIHono();
  const registry = described.openAPIRegistry;
  registry.registerComponent("securitySchemes", "phase_token", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of an agent, for one phase of one task",
  });
  registry.registerComponent("securitySchemes", "operator_token", {
    type: "http",
    scheme: "bearer",
    description: "The token of an operator",
  });
  registry.registerComponent("securitySchemes", "enrolment", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Bylaw-Enrol <secret>`, only for a claim",
  });
  registry.register("Problem", problemShape);
  for (const route of routes) registry.registerPath(pathOf(route));
  const used = new Set(routes.flatMap(({ tags }) => tags));
  const document = described.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Bylaw",
      version,
      description: "Agents work under a contract through this API, and operators watch and answer.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: base }],
    tags: TAGS.filter(([name]) => used.has(name)).map(([name, description]) => ({
      name,
      description,
    })),
  });
  return document as unknown as JsonObject;
}

function pathOf({
  method,
  path,
  summary,
  description,
  tags,
  callers,
  params,
  query,
  body,
  answers,
}: Route): PathConfig {
  const open = callers.includes("anyone");
  const kinds = callers.filter((kind) => kind !== "anyone");
  const refused = Object.entries(open ? {} : REFUSED).map(
    ([status, text]) => [status, problemAnswer(text)] as const,
  );
  const given = Object.entries(answers).map(([status, { description: text, schema }]) => {
    if (schema !== undefined)
      return [status, { description: text, content: { "application/json": { schema } } }] as const;
    return [status, Number(status) >= 400 ? problemAnswer(text) : { description: text }] as const;
  });
  return {
    method,
    path,
    operationId: operationOf(method, path),
    summary,
    tags: [...tags],
    ...(description === undefined ? {} : { description }),
    security: open ? [] : kinds.map((kind) => ({ [SECURITY[kind]]: [] })),
    request: {
      ...(params === undefined ? {} : { params: params as never }),
      ...(query === undefined ? {} : { query: query as never }),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { "application/json": { schema: body } } } }),
    },
    responses: Object.fromEntries([...refused, ...given]),
  };
}

const problemAnswer = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: problemShape } },
});

/** `get` and `/approvals/{id}` give `get_approvals_id`. */
const operationOf = (method: string, path: string): string =>
  `${method}${path.replaceAll(/\W+/g, "_")}`.replace(/_$/, "");
