import { z } from "@hono/zod-openapi";
import type { Contract } from "@bylaw/contract";
import { taskOf } from "@bylaw/plugin-tasks";
import { holderOf } from "../tasks/holders.ts";
import { problem } from "../http/problem.ts";
import { defineRoute, type CallerOf } from "../http/route.ts";
import { eventStream } from "../events/event-stream.ts";
import { admitReader, isOfClaim } from "../auth/admission.ts";
import type { Service } from "../service/service.ts";

const sequence = z.string().regex(/^\d{1,15}$/, "must be the sequence of an event");

export const getEvents = defineRoute({
  method: "get",
  path: "/events",
  summary: "Follow the events of the run",
  description:
    "Server-sent events; the id of each is its sequence. `Last-Event-ID` or `after` names the last event that the client has; without either, the stream begins now. An agent sees only the events of its task.",
  tags: ["events"],
  callers: ["operator", "agent"],
  query: z.strictObject({ after: sequence.optional() }),
  answers: {
    200: { description: "A stream of events" },
    429: { description: "This caller has too many streams" },
  },
  async handle({ service, caller, route, query, signal, context }) {
    const { operations, settings, now } = service;
    if (caller.kind === "agent") await admitReader({ service, caller, route });
    // Nobody reads the body of the answer to HEAD.
    if (context.req.method === "HEAD")
      return new Response(null, { headers: { "content-type": "text/event-stream" } });
    const asked = await positionOf(service, context.req.header("last-event-id") ?? query.after);
    const after = caller.kind === "agent" ? behindOthers(service, caller.task, asked) : asked;
    const held =
      caller.kind === "agent" ? (holderOf(service.run.view, caller.task)?.fence ?? 0) : 0;
    const leave = operations.streams.enter(
      `${caller.kind} ${caller.kind === "agent" ? caller.agent : caller.name}`,
    );
    if (leave === undefined) throw tooMany();
    operations.metrics.streamOpened();
    return eventStream(context, {
      listener: operations.feed.listen(),
      after,
      sees: ({ task, type }) =>
        caller.kind === "operator" || (task === caller.task && mayWatch(service.contract, type)),
      // This node may read such an event before it has taken it up. Earlier claims end nothing, because this agent claimed the task after
      // them.
      endsBefore: ({ task, type, agent, fence }) =>
        caller.kind === "agent" &&
        task === caller.task &&
        type === "task_claimed" &&
        agent !== caller.agent &&
        (fence ?? Infinity) > held,
      mayGoOn: () => caller.kind === "operator" || isHolder(service, caller, Date.parse(now())),
      signal,
      heartbeat_ms: settings.operate.heartbeat_ms,
      slow_ms: settings.operate.slow_ms,
      onEnd(how) {
        leave();
        operations.metrics.streamEnded(how);
      },
    });
  },
});

/** The kinds of events that a contract may hide from agents, and the events of each. */
const KINDS = {
  task_started: ["task_claimed"],
  phase_transition_requested: ["phase_entered", "transition_blocked"],
  gate_passed: ["phase_entered"],
  gate_blocked: ["transition_blocked"],
  task_completed: ["task_finished"],
  blocker_encountered: ["transition_blocked"],
} as const satisfies Readonly<
  Record<Contract["coordination"]["bus"]["events"][number], readonly string[]>
>;

/** Whether agents may watch an event. A contract hides the kinds that are missing from its `event_bus.events`. */
function mayWatch({ coordination: { bus } }: Contract, type: string): boolean {
  const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((kind) =>
    (KINDS[kind] as readonly string[]).includes(type),
  );
  return kinds.length === 0 || kinds.some((kind) => bus.events.includes(kind));
}

async function positionOf({ operations }: Service, given: string | undefined): Promise<number> {
  if (given === undefined) return await operations.feed.head();
  if (!sequence.safeParse(given).success)
    throw problem({
      status: 400,
      code: "BYLAW_REQUEST_INVALID",
      detail: "Last-Event-ID must be the id of an event",
      fix: "Send the id of the last event that you received, or leave it out.",
    });
  const after = Number(given);
  // Nothing would ever follow an event that the log does not have, such as one of another run.
  if (after > 0 && after > (await operations.feed.head()))
    throw problem({
      status: 400,
      code: "BYLAW_REQUEST_INVALID",
      detail: `The log has no event ${after}`,
      fix: "Leave Last-Event-ID out, or send 0 to read from the beginning.",
    });
  return after;
}

/** An agent only gets events of its task, so events before the task was created are skipped without reading them. */
const behindOthers = ({ run }: Service, task: string, after: number): number =>
  Math.max(after, (taskOf(run.view, task)?.created ?? 1) - 1);

// A stream may outlive the token that opened it, but the task must still be this agent's.
const isHolder = (service: Service, caller: CallerOf<"agent">, now: number): boolean =>
  isOfClaim(service, caller) && caller.claims.exp * 1_000 > now;

const tooMany = () =>
  problem({
    status: 429,
    code: "BYLAW_RATE_EXCEEDED",
    detail: "This caller has too many streams open",
    fix: "Close a stream before you open another.",
    headers: { "retry-after": "5" },
  });
