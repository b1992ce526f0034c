import { offerLinks, phasesWith, readRows, unknownPolicies } from "@bylaw/dashboard";
import type { LogEvent } from "@bylaw/kernel";
import { z } from "@hono/zod-openapi";
import { problem } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import { jsonObject } from "../http/shapes.ts";
import type { Service } from "../service/service.ts";

const name = z.string().min(1).max(2_000).optional();
const sequence = z.string().regex(/^[1-9]\d{0,14}$/, "must be the sequence of an event");
const common = { method: "get", tags: ["audit"], callers: ["operator"] } as const;

export const getMe = defineRoute({
  ...common,
  path: "/me",
  summary: "Read who is asking, and the run",
  answers: {
    200: {
      description: "The operator",
      schema: z.object({
        name: z.string(),
        can_answer: z.boolean(),
        is_agent: z
          .boolean()
          .openapi({
            description:
              "Whether an agent of the run has the same name. Then answers count only at gates, in another role than `human`",
          }),
        roles: z
          .array(z.string())
          .nullable()
          .openapi({ description: "`null`: any role that a gate asks for" }),
        many_runs: z.boolean(),
        runs: z.array(
          z.object({
            run: z.string(),
            head: z.int(),
            last: z.string().nullable(),
            waits: z.int().openapi({ description: "How many questions wait for a person" }),
          }),
        ),
      }),
    },
  },
  async handle({ service: { run, operations }, caller: { name, roles = null } }) {
    const { list } = operations.approvals;
    const waits = (await list.open()).length;
    return reply({
      ...{ name, roles, can_answer: true, many_runs: false },
      is_agent: list.isAgent(name),
      runs: [{ run: run.run, head: run.head, last: null, waits }],
    });
  },
});

export const getDecisions = defineRoute({
  ...common,
  path: "/decisions",
  summary: "List decisions, newest first",
  description:
    "All filters must match. `next` is the `below` of the next page; a page may be short, because each request reads at most 20,000 events.",
  query: z.strictObject({
    ...{ effect: name, rule: name, agent: name, tool: name },
    ...{ phase: name, code: name, task: name, type: name },
    decided: z.enum(["true", "false"]).optional(),
    limit: z.coerce.number().int().min(1).max(1_000).default(100),
    below: sequence.optional(),
  }),
  answers: {
    200: {
      description: "A page of decisions",
      schema: z.object({ rows: z.array(jsonObject), next: z.int().optional(), head: z.int() }),
    },
  },
  async handle({ service, query: { limit, below, decided, ...filter } }) {
    const { follower, feed, overview } = service.operations;
    const head = await feed.head();
    // Only a filter by phase must wait until the log was read from its beginning.
    if (filter.phase !== undefined) await follower.fresh();
    const page = await readRows(service.store, {
      run: service.run.run,
      filter: { ...filter, decided: decided === "true" },
      below: Math.min(below === undefined ? Infinity : Number(below), head + 1),
      limit,
      phaseAt: overview.live.phaseAt,
    });
    return reply({ ...page, head });
  },
});

export const getDecision = defineRoute({
  ...common,
  path: "/decisions/{sequence}",
  summary: "Read one event with everything that was decided",
  params: z.strictObject({ sequence }),
  answers: {
    200: {
      description:
        "The event, the phase of its task at the time, and the other decision about a call that a rule offered instead",
      schema: z.object({
        event: jsonObject,
        phase: z.string().nullable(),
        offered: z.object({ sequence: z.int(), taken: z.boolean() }).nullable(),
        offered_by: z.int().nullable(),
      }),
    },
    404: { description: "No such event" },
  },
  async handle({ service, params }) {
    const event = await eventAt(service, Number(params.sequence));
    const links = await offerLinks(service.store, service.run.run, event);
    return reply({ event, phase: phaseOf(service, event), ...links });
  },
});

export const getAllowing = defineRoute({
  ...common,
  path: "/decisions/{sequence}/allowing",
  summary: "Read what would have allowed a call",
  description: "Under the present policies, and without what the run did before the call.",
  params: z.strictObject({ sequence }),
  answers: {
    200: {
      description: "The nearest rules, the smallest rule that would allow it, and the phases",
      schema: z.object({
        policies: z.enum(["same", "other", "unknown"]),
        nearest: z.array(jsonObject),
        toml: z.string().nullable(),
        why: z.string().nullable(),
        phases: z.array(z.string()),
      }),
    },
    404: { description: "No such event" },
  },
  async handle({ service, params }) {
    const { kernel, contract, allowing } = service;
    const event = await eventAt(service, Number(params.sequence));
    const phase = phaseOf(service, event);
    const found =
      allowing === undefined
        ? unknownPolicies("This server was started without the part that suggests rules")
        : await allowing(event, { phase, kernel });
    return reply({ ...found, phases: [...phasesWith(event.details["tool"], contract.phases)] });
  },
});

async function eventAt({ store, run }: Service, at: number): Promise<LogEvent> {
  const [event] = await store.events(run.run, at - 1, 1);
  if (event !== undefined) return event;
  throw problem({
    status: 404,
    code: "BYLAW_REQUEST_INVALID",
    detail: `The log has no event ${at}`,
    fix: "List the decisions with `GET /decisions`.",
  });
}

const phaseOf = ({ operations }: Service, { task_id, sequence: at }: LogEvent): string | null =>
  operations.overview.live.phaseAt(task_id, at);

export const getOverview = defineRoute({
  ...common,
  path: "/overview",
  summary: "Read agents, tasks and rates of the run",
  description: "With `at`, as they were after that event.",
  query: z.strictObject({ at: sequence.optional() }),
  answers: {
    200: {
      description: "The state of the run, and how far its chain of hashes was verified",
      schema: z.looseObject({ head: z.int(), chain: jsonObject }),
    },
  },
  async handle({ service, query: { at }, signal }) {
    const { follower, feed, overview } = service.operations;
    const [run, head] = [service.run.run, await feed.head()];
    follower.fresh().catch(() => {});
    const broken = service.broken()?.message ?? null;
    const chain = { verified: follower.head, head, broken };
    if (at === undefined) return reply({ ...overview.live.value(), chain });
    const then = await overview.at(service.store, run, {
      ...{ at: Math.min(Number(at), head), signal },
      read: () => follower.fresh(),
    });
    return reply({ ...then, chain });
  },
});

export const getExperiments = defineRoute({
  ...common,
  path: "/experiments",
  summary: "Compare the two versions of each experiment of the run",
  description:
    "A request reads at most 20,000 events. Until all were read, `experiments` is null: ask again.",
  answers: {
    200: {
      description:
        "What happened to the tasks of each version, as `bylaw experiment compare` has it",
      schema: z.object({
        runs: z.object({ counted: z.int(), all: z.int() }),
        events: z.object({ read: z.int(), all: z.int() }),
        most_tasks: z.int().nullable(),
        broken: z.array(z.string()),
        experiments: z.array(jsonObject).nullable(),
      }),
    },
  },
  handle: async ({ service }) => reply(await service.operations.experiments.read()),
});
