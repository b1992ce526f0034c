import type { Decision } from "../contract/decision.d.ts";
import type { EventDraft, LogEvent } from "../contract/event.d.ts";
import type { Json, JsonObject } from "../contract/json.d.ts";
import type { Projection } from "../contract/projection.d.ts";
import type { OpenOptions, Outcome, Run } from "../contract/run.d.ts";
import type { DocumentWrite } from "../contract/store.d.ts";
import type { Response, Subject } from "../contract/subject.d.ts";
import type { Effect } from "../contract/verdict.d.ts";
import { approvalDigest, currentPhases, openApprovals } from "./approval.ts";
import { BylawError, messageOf } from "./errors.ts";
import { freezeJson, present } from "./json.ts";
import type { KernelParts } from "./kernel.ts";
import { StoreConflict, createMemoryStore } from "./memory-store.ts";
import { issuesOf } from "./plugin.ts";
import { createFold, impossible } from "./projection.ts";

/** The event types of the kernel itself. */
export const KERNEL_EVENTS: readonly string[] = [
  ...["tool_allowed", "tool_asked", "tool_denied", "tool_result", "phase_entered", "transition_blocked"],
  ...["behavior_applied", "behavior_rejected", "response_accepted", "enforcement", "approval_granted"],
];

const ATTEMPTS = 8;
const PAGE = 1_000;

type Who = { readonly agent?: string | null | undefined; readonly task?: string | null | undefined };
type Verdicts = Omit<Outcome, "events">;

/** Reads a log, folds it, and records from then on. */
export async function openRun(parts: KernelParts, options: OpenOptions): Promise<Run> {
  const { kernel, guards, sinks } = parts;
  const { run, store = createMemoryStore(), session = globalThis.crypto.randomUUID(), onError = () => {} } = options;
  const { now = () => new Date().toISOString() } = options;
  let fold = createFold([openApprovals, currentPhases, ...parts.projections] as readonly Projection<unknown>[]);

  async function catchUp(until = Infinity): Promise<void> {
    while (fold.head < until) {
      const page = await store.events(run, fold.head, Math.min(PAGE, until - fold.head));
      if (page.length === 0) return;
      fold = fold.add(page);
    }
  }
  await catchUp();

  const draft = (event_type: string, { agent, task }: Who, details: JsonObject): EventDraft => {
    const who = { agent_id: agent ?? null, task_id: task ?? null };
    return { timestamp: now(), session_id: session, event_type, ...who, details: freezeJson(details) as JsonObject };
  };

  type Condition = { readonly stale?: (event: LogEvent) => boolean; readonly documents?: readonly DocumentWrite[] };
  async function append(drafts: readonly EventDraft[], { stale, documents = [] }: Condition = {}): Promise<readonly LogEvent[]> {
    const before = fold;
    const admit = (unseen: readonly LogEvent[]): void => {
      if (stale !== undefined && unseen.some(stale)) throw new StoreConflict("seen", "Unexpected event of another writer");
      const finding = guards.length === 0 ? undefined : impossible(guards, before.add(unseen), drafts);
      if (finding === undefined) return;
      const message = `Unexpected event \`${finding.draft.event_type}\`: ${finding.message}`;
      throw new BylawError({ code: "BYLAW_EVENT_REFUSED", message, fix: `see rule ${finding.rule} of ${finding.guard}` });
    };
    const { events } = await store.commit({ run, events: drafts, documents, seen: before.head, admit });
    await catchUp((events[0]?.sequence ?? 1) - 1);
    fold = fold.add(events);
    for (const { required, write } of sinks) {
      const written = (async () => write(events, fold.view))();
      await (required === true ? written : written.catch(onError));
    }
    return events;
  }

  // Where the phase and the phase that a transition leaves are concerned the log is right, whatever the caller says.
  function stamp({ phase: _, ...input }: Subject): Subject {
    const phase = input.task === undefined ? undefined : fold.view(currentPhases)[input.task];
    const known = { ...input, phase, ...(input.hook === "onTransition" ? { from: phase } : {}) };
    return { ...present(known), run, session, at: now() } as Subject;
  }

  async function judge(input: Subject): Promise<readonly [Subject, Decision]> {
    try {
      const subject = await kernel.prepare(stamp(input));
      const grantFor = async () => fold.view(openApprovals)[await approvalDigest(subject, kernel.policy)];
      return [subject, await parts.decide(subject, fold.view, grantFor)];
    } catch (error) {
      return [{ hook: input.hook } as Subject, parts.refuse(input, "invalid_call", messageOf(error))];
    }
  }

  type Describe = (subject: Subject, outcome: Verdicts) => readonly [type: string, details: JsonObject];
  async function ask(input: Subject, describe: Describe): Promise<Outcome> {
    let last: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const [subject, decision] = await judge(input);
      const outcome = { decision, applied: decision.applied };
      // The document makes an approval one-use even where two processes read it at once.
      const used = { kind: "approval", id: `${run}:${decision.approval}`, value: "used", if_version: 0 };
      try {
        const [type, details] = describe(subject, outcome);
        const event = draft(type, textual(input), { ...details, ...verdict(outcome) });
        const stale = (other: LogEvent): boolean => concerns(other, input);
        return { ...outcome, events: await append([event], { stale, documents: decision.approval === undefined ? [] : [used] }) };
      } catch (error) {
        last = error;
        if (!(error instanceof StoreConflict)) break;
        await catchUp();
      }
    }
    // What cannot be recorded must not happen.
    const reason = `Unexpected failure to record the decision, expected a durable log: ${messageOf(last)}`;
    return { decision: parts.refuse(input, "engine_absent", reason), applied: "deny", events: [] };
  }

  return {
    run,
    session,
    get head() {
      return fold.head;
    },
    view: (projection) => fold.view(projection),
    toolCall: (call) =>
      ask({ ...call, hook: "beforeToolCall" }, (subject, { applied }) => [
        TOOL_EVENT[applied],
        told(subject, "id", "tool", "server", "args", "cwd"),
      ]),
    transition: (request) =>
      ask({ ...request, hook: "onTransition" }, (subject, { applied }) => [
        applied === "allow" ? "phase_entered" : "transition_blocked",
        told(subject, "from", "to", "artifacts"),
      ]),
    behave: (action) =>
      ask({ ...action, hook: "onBehavior" }, (subject, { applied, decision: { directive } }) => [
        applied === "allow" ? "behavior_applied" : "behavior_rejected",
        { ...told(subject, "action", "reason", "trigger_agent_id", "step"), ...(directive && { directive }) },
      ]),
    respond: (response) =>
      ask({ ...response, hook: "onEnforcement" }, (subject, { decision }) => {
        if (decision.effect === "allow") return ["response_accepted", told(subject, "round", "attempt")];
        return ["enforcement", violation(subject as Response, decision)];
      }),
    toolResult: ({ id, tool, ok, result = null, ...who }) => append([draft("tool_result", who, { id, tool, ok, result })]),
    async approve({ subject, by, expires_at }) {
      if (Number.isNaN(Date.parse(expires_at))) throw unfit(`expiry \`${expires_at}\`, expected an RFC 3339 time`);
      const digest = await approvalDigest(await kernel.prepare(stamp(subject)), kernel.policy);
      return append([draft("approval_granted", subject, { digest, policy: kernel.policy, by, expires_at })]);
    },
    async record(given) {
      const drafts = given.map(({ event_type, agent_id, task_id, details }) => {
        const types = parts.events.filter(({ name }) => name === event_type && !KERNEL_EVENTS.includes(name));
        if (types.length === 0) throw unfit(`event type \`${event_type}\`, expected one that a plugin declares`);
        for (const type of types) {
          const parsed = type.details.safeParse(details);
          if (!parsed.success) throw unfit(`details of \`${event_type}\`: ${issuesOf(parsed.error)}`);
        }
        return draft(event_type, { agent: agent_id, task: task_id }, details);
      });
      return append(drafts);
    },
    async close() {
      for (const sink of sinks) await sink.close?.();
    },
  };
}

const TOOL_EVENT: Readonly<Record<Effect, string>> = { allow: "tool_allowed", ask_user: "tool_asked", deny: "tool_denied" };

const unfit = (what: string): BylawError => new BylawError({ code: "BYLAW_EVENT_INVALID", message: `Unexpected ${what}` });

// The subject may be one that the border refused, whose fields can be anything.
const textual = ({ agent, task }: Who): Who => ({
  agent: typeof agent === "string" ? agent : null,
  task: typeof task === "string" ? task : null,
});

// Another writer's event makes a decision stale only where it concerns the same task, or the same agent without one.
const concerns = ({ task_id, agent_id }: LogEvent, { task, agent = null }: Who): boolean =>
  task === undefined ? agent !== null && agent_id === agent : task_id === task;

const told = (subject: Subject, ...fields: readonly string[]): JsonObject =>
  present(Object.fromEntries(fields.map((field) => [field, (subject as unknown as JsonObject)[field]]))) as JsonObject;

// Through JSON, because a vote may hold fields that are undefined.
const verdict = ({ decision: { id: _id, hook: _hook, directive: _directive, ...decision }, applied }: Verdicts): JsonObject =>
  JSON.parse(JSON.stringify({ ...decision, applied })) as JsonObject;

function violation(response: Response, { message, reason, code, recovery = "restart" }: Decision): JsonObject {
  const { text = "", tool_calls = [], round = 1, attempt = 1, max_attempts = 1 } = response;
  const calls = { reason: code, tool_calls: tool_calls.map(({ tool }): Json => tool), error_message: message ?? reason };
  const buffer_preview = Array.from(text.slice(0, 1_000)).slice(0, 500).join("");
  const ended = { buffer_preview, buffer_chars: text.length, recovery, final: attempt >= max_attempts };
  return { round, attempt, max_attempts, ...calls, ...ended };
}
