import {
  BylawError,
  StoreConflict,
  freezeJson,
  isJsonObject,
  issuesOf,
  messageOf,
  present,
  type Decision,
  type DocumentWrite,
  type EventDraft,
  type Json,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type Projection,
  type Response,
  type Subject,
  type ToolCall,
} from "@bylaw/kernel";
import { RUN_EVENTS, approvalDigest, currentPhases, openApprovals } from "./approval.ts";
import { createFold, impossible, type Fold } from "./fold.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { OpenOptions, Outcome, Run } from "./run-contract.ts";
import { createDelivery } from "./sinks.ts";

const ATTEMPTS = 8;
const PAGE = 1_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const TOOL_EVENT = { allow: "tool_allowed", ask_user: "tool_asked", deny: "tool_denied" } as const;

type Who = { readonly agent?: Json | undefined; readonly task?: Json | undefined };

interface Condition {
  /** The log as the decision was made on it. */
  readonly before?: Fold;
  /** Whether another writer's event makes the drafts obsolete. */
  readonly stale?: (event: LogEvent) => boolean;
  readonly documents?: readonly DocumentWrite[];
}

/** Reads a log, folds it, and records from then on. Throws what the store throws, and what a projection cannot fold. */
export async function openRun(kernel: Kernel, options: OpenOptions): Promise<Run> {
  const { run, store = createMemoryStore(), session = globalThis.crypto.randomUUID(), onError = () => {} } = options;
  const { now = () => new Date().toISOString() } = options;
  const { events: eventTypes, projections, guards, sinks } = kernel.declared;
  const report = (error: unknown): void => {
    try {
      onError(error);
    } catch {
      // Who cannot be told of failures must not turn them into others.
    }
  };
  const delivery = createDelivery(sinks, kernel.deadline_ms, report);
  const turns = new Map<string, Promise<unknown>>();
  let fold = createFold([openApprovals, currentPhases, ...projections] as readonly Projection<unknown>[]);
  let listening = false;

  // Sinks are told where events are folded: in the order of the log, and only of the events of this sitting.
  function advance(events: readonly LogEvent[]): void {
    const fresh = events.filter(({ sequence }) => sequence > fold.head);
    fold = fold.add(fresh);
    const own = fresh.filter(({ session_id }) => session_id === session);
    if (own.length > 0 && listening) delivery.tell(own, fold.view);
  }

  async function catchUp(until = Infinity): Promise<void> {
    while (fold.head < until) {
      const page = await store.events(run, fold.head, Math.min(PAGE, until - fold.head));
      if (page.length === 0) return;
      advance(page);
    }
  }
  await catchUp();
  listening = true;

  const draft = (event_type: string, { agent, task }: Who, details: JsonObject): EventDraft => ({
    timestamp: now(),
    session_id: session,
    event_type,
    // The subject may be one that the border refused, whose fields can be anything.
    agent_id: typeof agent === "string" ? agent : null,
    task_id: typeof task === "string" ? task : null,
    details: freezeJson(details) as JsonObject,
  });

  async function append(drafts: readonly EventDraft[], condition: Condition = {}): Promise<readonly LogEvent[]> {
    const { before = fold, stale, documents = [] } = condition;
    const admit = (unseen: readonly LogEvent[]): void => {
      if (stale !== undefined && unseen.some(stale)) throw new StoreConflict("seen", "Unexpected event of another writer");
      const finding = impossible(guards, before.add(unseen), drafts);
      if (finding === undefined) return;
      const message = `Unexpected event \`${finding.draft.event_type}\`: ${finding.message}`;
      throw new BylawError({ code: "BYLAW_EVENT_REFUSED", message, fix: `see rule ${finding.rule} of ${finding.guard}` });
    };
    const { events } = await store.commit({ run, events: drafts, documents, seen: before.head, admit });
    await catchUp((events[0]?.sequence ?? 1) - 1);
    advance(events);
    return events;
  }

  async function appendAndDeliver(drafts: readonly EventDraft[]): Promise<readonly LogEvent[]> {
    const events = await append(drafts);
    await delivery.written(events);
    return events;
  }

  // Where the phase and the phase that a transition leaves are concerned the log is right, whatever the caller says.
  function stamp({ phase: _, ...input }: Subject, before: Fold): Subject {
    const phases = before.view(currentPhases);
    const phase = input.task !== undefined && Object.hasOwn(phases, input.task) ? phases[input.task] : undefined;
    const known = { ...input, phase, ...(input.hook === "onTransition" ? { from: phase } : {}) };
    return { ...present(known), run, session, at: now() } as Subject;
  }

  const refused = (input: Subject, error: unknown): readonly [Subject, Decision] => [
    { hook: input.hook } as Subject,
    kernel.refuse(input, "invalid_call", messageOf(error)),
  ];

  async function judge(input: Subject, before: Fold): Promise<readonly [Subject, Decision]> {
    try {
      const subject = await kernel.prepare(stamp(input, before));
      const open = before.view(openApprovals);
      const grant = Object.keys(open).length > 0 ? open[await approvalDigest(subject, kernel.policy)] : undefined;
      return [subject, await kernel.decide(subject, before.view, grant)];
    } catch (error) {
      return refused(input, error);
    }
  }

  // One after the other for one task, or one agent without a task: they would only make each other's decisions stale.
  function inTurn<T>({ task, agent }: Who, work: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(task === undefined ? { agent } : { task });
    const turn = (turns.get(key) ?? Promise.resolve()).then(work);
    const last: Promise<unknown> = turn.catch(() => {}).then(() => turns.get(key) === last && turns.delete(key));
    turns.set(key, last);
    return turn;
  }

  type Describe = (subject: Subject, decision: Decision) => readonly [type: string, details: JsonObject];
  async function ask(hook: Subject["hook"], given: object, describe: Describe): Promise<Outcome> {
    let input = { hook } as Subject;
    let unreadable: unknown;
    try {
      // A copy, so that the caller changes nothing on the way.
      input = freezeJson({ ...given, hook }) as unknown as Subject;
    } catch (error) {
      unreadable = error;
    }
    return inTurn(input, async () => {
      let problem: unknown;
      for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
        const before = fold;
        const [subject, decision] = unreadable === undefined ? await judge(input, before) : refused(input, unreadable);
        // The document makes an approval one-use even where two processes read it at once.
        const used = { kind: "approval", id: `${run}:${decision.approval}`, value: "used", if_version: 0 };
        const documents = decision.approval === undefined ? [] : [used];
        let events: readonly LogEvent[];
        try {
          const [type, details] = describe(subject, decision);
          const event = draft(type, input, { ...details, decision: written(decision) });
          events = await append([event], { before, stale: (other) => concerns(other, input), documents });
        } catch (error) {
          problem = error;
          if (!(error instanceof StoreConflict)) break;
          await catchUp().catch(report);
          continue;
        }
        // From here on it is on record, and is not tried again.
        return delivery.written(events).then(
          () => ({ decision, applied: decision.applied, events }),
          (error: unknown) => absent(input, error, events),
        );
      }
      return absent(input, problem, []);
    });
  }

  // What cannot be recorded must not happen.
  function absent(input: Subject, error: unknown, events: readonly LogEvent[]): Outcome {
    const reason = `Unexpected failure to record the decision, expected a durable log: ${messageOf(error)}`;
    return { decision: kernel.refuse(input, "engine_absent", reason), applied: "deny", events };
  }

  return {
    run,
    session,
    get head() {
      return fold.head;
    },
    view: (projection) => fold.view(projection),
    toolCall: (call) =>
      ask("beforeToolCall", call, (subject, { applied }) => [
        TOOL_EVENT[applied],
        { ...fieldsOf(subject, ...CALL_FIELDS), ...registryOf(subject) },
      ]),
    transition: (request) =>
      ask("onTransition", request, (subject, { applied }) => [
        applied === "allow" ? "phase_entered" : "transition_blocked",
        fieldsOf(subject, "from", "to", "artifacts"),
      ]),
    behave: (action) =>
      ask("onBehavior", action, (subject, { applied, directive }) => [
        applied === "allow" ? "behavior_applied" : "behavior_rejected",
        { ...fieldsOf(subject, "action", "reason", "trigger_agent_id", "step"), ...(directive && { directive }) },
      ]),
    respond: (response) =>
      ask("onEnforcement", response, (subject, decision) =>
        decision.effect === "allow"
          ? ["response_accepted", fieldsOf(subject, "round", "attempt")]
          : ["enforcement", violation(subject as Response, decision)],
      ),
    async toolResult({ id, tool, ok, result = null, ...who }) {
      const texts: readonly unknown[] = [id, tool, who.agent ?? "", who.task ?? ""];
      if (typeof ok !== "boolean" || texts.some((text) => typeof text !== "string")) throw unfit("tool result, expected its call and `ok`");
      return appendAndDeliver([draft("tool_result", who, { id, tool, ok, result })]);
    },
    async approve({ subject, by, expires_at }) {
      if (!isJsonObject(subject)) throw unfit("approval of nothing, expected a subject");
      if (typeof by !== "string" || by === "") throw unfit("approval by nobody, expected the name of a person");
      if (!TIME.test(expires_at) || Number.isNaN(Date.parse(expires_at)))
        throw unfit(`expiry \`${expires_at}\`, expected an RFC 3339 time`);
      const digest = await approvalDigest(await kernel.prepare(stamp(subject, fold)), kernel.policy);
      return appendAndDeliver([draft("approval_granted", subject, { digest, policy: kernel.policy, by, expires_at })]);
    },
    async record(given) {
      const drafts = given.map(({ event_type, agent_id, task_id, details }) => {
        if (![agent_id, task_id].every((id) => id === null || typeof id === "string")) throw unfit("agent or task, expected text or null");
        const types = eventTypes.filter(({ name }) => name === event_type && !RUN_EVENTS.includes(name));
        if (types.length === 0) throw unfit(`event type \`${event_type}\`, expected one that a plugin declares`);
        for (const type of types) {
          const parsed = type.details.safeParse(details);
          if (!parsed.success) throw unfit(`details of \`${event_type}\`: ${issuesOf(parsed.error)}`);
        }
        return draft(event_type, { agent: agent_id, task: task_id }, details);
      });
      return appendAndDeliver(drafts);
    },
    close: () => delivery.close(),
  };
}

const unfit = (what: string): BylawError => new BylawError({ code: "BYLAW_EVENT_INVALID", message: `Unexpected ${what}` });

// Another writer's event makes a decision stale only where it concerns the same task, or the same agent without one.
const concerns = ({ task_id, agent_id }: LogEvent, { task, agent = null }: Who): boolean =>
  task === undefined ? agent_id === agent : task_id === task;

const fieldsOf = (subject: Subject, ...fields: readonly string[]): JsonObject =>
  present(Object.fromEntries(fields.map((field) => [field, (subject as unknown as JsonObject)[field]]))) as JsonObject;

// Through JSON, because what is undefined has no place in a log.
const written = ({ id: _id, hook: _hook, ...decision }: Decision): JsonObject => JSON.parse(JSON.stringify(decision)) as JsonObject;

// All that a later decision about the same call needs, but for the links of its paths.
const CALL_FIELDS = [
  ...["id", "tool", "server", "args", "annotations", "cwd", "workspace", "home"],
  ...["approval_mode", "interactive", "phase"],
];

// Of the registered servers only the tools that the name could stand for: whole registries would fill the log.
function registryOf(subject: Subject): JsonObject {
  const { tool, server, servers } = subject as Partial<ToolCall>;
  if (tool === undefined || servers === undefined) return {};
  const near = Object.entries(servers).flatMap(([name, tools]): [string, Json][] => {
    const listed = tools.filter((one) => tool.endsWith(one));
    return name === server || (tool.includes(name) && listed.length > 0) ? [[name, listed]] : [];
  });
  return { servers: Object.fromEntries(near) };
}

function violation(response: Response, { message, reason, code, recovery = "restart" }: Decision): JsonObject {
  const { text = "", tool_calls = [], round = 1, attempt = 1, max_attempts = 1 } = response;
  const calls = { reason: code, tool_calls: tool_calls.map(({ tool }): Json => tool), error_message: message ?? reason };
  const buffer_preview = Array.from(text.slice(0, 1_000)).slice(0, 500).join("");
  const ended = { buffer_preview, buffer_chars: text.length, recovery, final: attempt >= max_attempts };
  return { round, attempt, max_attempts, ...calls, ...ended };
}
