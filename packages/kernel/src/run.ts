import { approvalDigest, currentPhases, openApprovals } from "./approval.ts";
import { settle, type Decision } from "./decision.ts";
import { BylawError, messageOf } from "./errors.ts";
import { KERNEL_EVENTS, type EventDraft, type LogEvent } from "./event.ts";
import { freezeJson, type Json, type JsonObject } from "./json.ts";
import type { KernelParts } from "./kernel.ts";
import { createMemoryStore } from "./memory-store.ts";
import { issuesOf } from "./plugin.ts";
import { Fold, type Projection, type View } from "./projection.ts";
import { StoreConflict, type Commit, type DocumentWrite, type Store } from "./store.ts";
import type { Behavior, Response, Subject, ToolCall, Transition } from "./subject.ts";
import type { Effect } from "./verdict.ts";

export interface OpenOptions {
  /** The name of the log. */
  readonly run: string;
  /** Default: a memory store of its own. */
  readonly store?: Store;
  /** A UUID for this sitting. Default: a new one. */
  readonly session?: string;
  /** RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
  /** Is told when a sink that is not required fails. */
  readonly onError?: (error: unknown) => void;
}

/** What came of a subject in a run. */
export interface Outcome {
  readonly decision: Decision;
  /** What happens, under the enforcement mode. */
  readonly applied: Effect;
  /** What was recorded. */
  readonly events: readonly LogEvent[];
}

/** What a tool returned: evidence for gates and rules over sequences. */
export interface ToolResult {
  /** The id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly agent?: string;
  readonly task?: string;
  readonly ok: boolean;
  readonly result?: Json;
}

/** A person's yes to one question. */
export interface ApprovalRequest {
  /** The subject that was asked about, as it was given. */
  readonly subject: Subject;
  /** Who says yes. */
  readonly by: string;
  /** RFC 3339, UTC. */
  readonly expires_at: string;
}

/** One log, and the state that follows from it. */
export interface Run {
  readonly run: string;
  readonly session: string;
  /** Sequence of the last event that this run has read. */
  readonly head: number;
  toolCall(call: Omit<ToolCall, "hook">): Promise<Outcome>;
  transition(request: Omit<Transition, "hook">): Promise<Outcome>;
  behave(action: Omit<Behavior, "hook">): Promise<Outcome>;
  respond(response: Omit<Response, "hook">): Promise<Outcome>;
  toolResult(result: ToolResult): Promise<readonly LogEvent[]>;
  approve(request: ApprovalRequest): Promise<readonly LogEvent[]>;
  /** Appends events of types that plugins declare. Throws BYLAW_EVENT_INVALID or BYLAW_EVENT_REFUSED. */
  record(
    events: readonly Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">[],
  ): Promise<readonly LogEvent[]>;
  readonly view: View;
  close(): Promise<void>;
}

const ATTEMPTS = 8;
const PAGE = 1_000;

/** Reads the log, folds it, and records from then on. */
export async function openRun(parts: KernelParts, options: OpenOptions): Promise<Run> {
  const { run, store = createMemoryStore(), session = globalThis.crypto.randomUUID(), onError = () => {} } = options;
  const { now = () => new Date().toISOString() } = options;
  const { kernel, guards, sinks } = parts;
  const projections: readonly Projection<unknown>[] = [openApprovals, currentPhases, ...parts.projections];
  const fold = new Fold(projections);
  let page = await store.events(run, 0, PAGE);
  while (page.length > 0) {
    for (const event of page) fold.add(event);
    page = await store.events(run, fold.head, PAGE);
  }

  // Whoever learns of events first, a commit's receipt or another's tail, folds each exactly once, in order.
  async function catchUp(events: readonly LogEvent[]): Promise<void> {
    const first = events[0];
    if (first === undefined) return;
    const missing =
      first.sequence > fold.head + 1 ? await store.events(run, fold.head, first.sequence - fold.head - 1) : [];
    for (const event of [...missing, ...events]) {
      if (event.sequence === fold.head + 1) fold.add(event);
    }
  }

  function refuseImpossible(state: Fold, drafts: readonly EventDraft[]): void {
    const trial = state.fork();
    for (const [index, draft] of drafts.entries()) {
      for (const { name, guard } of guards) {
        const finding = guard(trial.view, draft);
        if (finding === undefined) continue;
        throw new BylawError({
          code: "BYLAW_EVENT_REFUSED",
          message: `Unexpected event \`${draft.event_type}\`: ${finding.message}`,
          fix: `see rule ${finding.rule} of guard ${name}`,
        });
      }
      if (index < drafts.length - 1) trial.add({ ...draft, sequence: trial.head + 1 });
    }
  }

  async function commit(
    drafts: readonly EventDraft[],
    extra: Pick<Commit, "documents">,
    seen: number,
    stale: (event: LogEvent) => boolean,
  ) {
    const base = fold.head === seen ? fold.fork() : undefined;
    const receipt = await store.commit({
      run,
      events: drafts,
      ...extra,
      seen,
      admit(unseen) {
        if (unseen.some(stale))
          throw new StoreConflict("seen", "Unexpected event of another writer, expected the log as it was read");
        if (guards.length === 0) return;
        const state = base ?? fold.fork();
        for (const event of unseen) if (event.sequence === state.head + 1) state.add(event);
        refuseImpossible(state, drafts);
      },
    });
    await catchUp(receipt.events);
    for (const sink of sinks) {
      const write = async (): Promise<void> => sink.write(receipt.events, fold.view);
      if (sink.required === true) await write();
      else void write().catch(onError);
    }
    return receipt.events;
  }

  const draft = (event_type: string, subject: { agent?: string; task?: string }, details: JsonObject): EventDraft => ({
    timestamp: now(),
    session_id: session,
    event_type,
    agent_id: subject.agent ?? null,
    task_id: subject.task ?? null,
    details: freezeJson(details) as JsonObject,
  });

  async function ask(
    input: Subject,
    record: (subject: Subject, outcome: Omit<Outcome, "events">) => EventDraft,
  ): Promise<Outcome> {
    let last: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const seen = fold.head;
      const phase = input.task === undefined ? undefined : fold.view(currentPhases).get(input.task);
      // In a run the phase is what the log says, and so is the phase that a transition leaves.
      const { phase: _, ...rest } = input;
      const from = rest.hook === "onTransition" ? { from: phase } : {};
      const stamped = {
        ...rest,
        ...from,
        run,
        session,
        at: now(),
        ...(phase === undefined ? {} : { phase }),
      } as Subject;
      let decision: Decision;
      let grantOf: DocumentWrite | undefined;
      let subject: Subject;
      try {
        subject = await kernel.prepare(stamped);
        const unsettled = await parts.unsettled(subject, fold.view);
        decision = settle(unsettled, subject, unsettled.effect === "ask_user" ? await grant(subject) : undefined);
        // The document makes the approval one-use even where two processes read it at once.
        if (decision.approval !== undefined)
          grantOf = { kind: "approval", id: `${run}:${decision.approval}`, value: "used", if_version: 0 };
      } catch (error) {
        decision = parts.refuse(input, "invalid_call", messageOf(error));
        subject = { hook: input.hook } as Subject;
      }
      const outcome = { decision, applied: kernel.applied(decision) };
      try {
        const events = await commit(
          [record(subject, outcome)],
          grantOf === undefined ? {} : { documents: [grantOf] },
          seen,
          (event) => touches(event, input),
        );
        return { ...outcome, events };
      } catch (error) {
        last = error;
        if (!(error instanceof StoreConflict)) break;
        await catchUp(await store.events(run, fold.head, PAGE));
      }
    }
    // What cannot be recorded must not happen.
    const decision = parts.refuse(
      input,
      "engine_absent",
      `Unexpected failure to record the decision, expected a durable log: ${messageOf(last)}`,
    );
    return { decision, applied: "deny", events: [] };
  }

  async function grant(subject: Subject) {
    const open = fold.view(openApprovals);
    return open.size === 0 ? undefined : open.get(await approvalDigest(subject, kernel.policy));
  }

  async function append(drafts: readonly EventDraft[]): Promise<readonly LogEvent[]> {
    return commit(drafts, {}, fold.head, () => false);
  }

  return {
    run,
    session,
    get head() {
      return fold.head;
    },
    view: fold.view,
    toolCall: (call) =>
      ask({ ...call, hook: "beforeToolCall" }, (subject, outcome) =>
        draft(TOOL_EVENT[outcome.applied], call, {
          ...told(subject, ["id", "tool", "server", "args", "cwd"]),
          ...verdict(outcome),
        }),
      ),
    transition: (request) =>
      ask({ ...request, hook: "onTransition" }, (subject, outcome) =>
        draft(outcome.applied === "allow" ? "phase_entered" : "transition_blocked", request, {
          ...told(subject, ["from", "to", "artifacts"]),
          ...verdict(outcome),
        }),
      ),
    behave: (action) =>
      ask({ ...action, hook: "onBehavior" }, (subject, outcome) =>
        draft(outcome.applied === "allow" ? "behavior_applied" : "behavior_rejected", action, {
          ...told(subject, ["action", "reason", "trigger_agent_id", "step"]),
          ...(outcome.decision.directive === undefined ? {} : { directive: outcome.decision.directive }),
          ...verdict(outcome),
        }),
      ),
    respond: (response) =>
      ask({ ...response, hook: "onEnforcement" }, (subject, outcome) =>
        outcome.decision.effect === "allow"
          ? draft("response_accepted", response, { ...told(subject, ["round", "attempt"]), ...verdict(outcome) })
          : draft("enforcement", response, { ...violation(response, outcome.decision), ...verdict(outcome) }),
      ),
    toolResult: ({ id, tool, ok, result = null, ...subject }) =>
      append([draft("tool_result", subject, { id, tool, ok, result })]),
    async approve({ subject: { hook, ...input }, by, expires_at }) {
      const phase = input.task === undefined ? undefined : fold.view(currentPhases).get(input.task);
      const prepared = await kernel.prepare({
        ...input,
        hook,
        ...(hook === "onTransition" ? { from: phase } : {}),
      } as Subject);
      const digest = await approvalDigest(prepared, kernel.policy);
      if (Number.isNaN(Date.parse(expires_at))) {
        throw new BylawError({
          code: "BYLAW_EVENT_INVALID",
          message: `Unexpected expiry \`${expires_at}\`, expected an RFC 3339 time`,
        });
      }
      return append([draft("approval_granted", input, { digest, policy: kernel.policy, by, expires_at })]);
    },
    async record(events) {
      const drafts = events.map(({ event_type, agent_id, task_id, details }) => {
        const type = parts.events.get(event_type);
        if (type === undefined || (KERNEL_EVENTS as readonly string[]).includes(event_type)) {
          throw new BylawError({
            code: "BYLAW_EVENT_INVALID",
            message: `Unexpected event type \`${event_type}\`, expected one that a plugin declares`,
          });
        }
        const parsed = type.details.safeParse(details);
        if (!parsed.success) {
          throw new BylawError({
            code: "BYLAW_EVENT_INVALID",
            message: `Unexpected details of \`${event_type}\`: ${issuesOf(parsed.error)}`,
          });
        }
        const who = {
          ...(agent_id === null ? {} : { agent: agent_id }),
          ...(task_id === null ? {} : { task: task_id }),
        };
        return draft(event_type, who, details);
      });
      return append(drafts);
    },
    async close() {
      for (const sink of sinks) await sink.close?.();
    },
  };
}

const TOOL_EVENT: Readonly<Record<Effect, string>> = {
  allow: "tool_allowed",
  ask_user: "tool_asked",
  deny: "tool_denied",
};

// Another writer's event makes a decision stale only where it concerns the same task, or the same agent without one.
function touches({ task_id, agent_id }: LogEvent, { task, agent }: Subject): boolean {
  return task === undefined ? agent_id === (agent ?? null) : task_id === task;
}

function told(subject: Subject, fields: readonly string[]): JsonObject {
  const source = subject as unknown as JsonObject;
  return Object.fromEntries(fields.flatMap((field) => (source[field] === undefined ? [] : [[field, source[field]]])));
}

function verdict({ decision, applied }: Omit<Outcome, "events">): JsonObject {
  const { effect, code, reason, fix, rule, by, votes, policy, enforcement_mode, approval } = decision;
  return JSON.parse(
    JSON.stringify({ effect, code, reason, fix, rule, by, votes, policy, enforcement_mode, approval, applied }),
  ) as JsonObject;
}

function violation(
  { text = "", tool_calls = [], round = 1, attempt = 1, max_attempts = 1 }: Partial<Response>,
  decision: Decision,
): JsonObject {
  return {
    round,
    attempt,
    max_attempts,
    tool_calls: tool_calls.map(({ tool }) => tool),
    error_message: decision.message ?? decision.reason,
    buffer_preview: Array.from(text.slice(0, 1_000)).slice(0, 500).join(""),
    buffer_chars: text.length,
    recovery: decision.recovery ?? "restart",
    final: attempt >= max_attempts,
  };
}
