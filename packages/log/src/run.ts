import {
  BylawError,
  StoreConflict,
  freezeJson,
  isJsonObject,
  messageOf,
  present,
  type Decision,
  type DocumentWrite,
  type EventDraft,
  type HookName,
  type Json,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type Subject,
} from "@bylaw/kernel";
import { didYouMean, quote } from "@bylaw/wording";
import { attemptOf } from "./agents/attempt.ts";
import { readableIn } from "./agents/readable.ts";
import { RUN_EVENTS, approvalDigest, currentPhases, openApprovals, phaseOf } from "./approval.ts";
import { problemOf } from "./catalogue/details.ts";
import { fieldFits } from "./codec/envelope.ts";
import { digestOf } from "./digest.ts";
import type { Fold } from "./fold.ts";
import type { Appended, Condition, Who } from "./journal-contract.ts";
import { ATTEMPTS, openJournal } from "./journal.ts";
import { createMemoryStore } from "./memory-store.ts";
import { find } from "./order/tree.ts";
import { Passing } from "./passing.ts";
import { policiesOnRecord, policyName, type Policies } from "./policies.ts";
import { clipped, eventOf, recovered } from "./recorded.ts";
import { RESUMPTIONS } from "./resume.ts";
import type { Trace } from "./reading.ts";
import { outcomeOf, questionName, requestName } from "./request.ts";
import type { AskOptions, OpenOptions, Outcome, Recordable, Run } from "./run-contract.ts";
import { BEGINNINGS } from "./sitting.ts";
import { ANCHOR_TYPE } from "./verify.ts";

/** What nobody but the run records, and what is no event at all. */
const OWN: ReadonlySet<string> = new Set([...RUN_EVENTS, ...BEGINNINGS, ...RESUMPTIONS, ANCHOR_TYPE]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a log, folds it, and records from then on. The first event says that a session begins or resumes the log. Throws what
 * the store and required sinks throw, what a projection cannot fold, BYLAW_EVENT_REFUSED where the session may not begin, and
 * BYLAW_EVENT_INVALID for a session or a plan that a log cannot name.
 */
export async function openRun(kernel: Kernel, options: OpenOptions): Promise<Run> {
  const { run, store = createMemoryStore(), session = globalThis.crypto.randomUUID(), join = false, plan, onError = () => {} } = options;
  const { now = () => new Date().toISOString() } = options;
  if (!fieldFits({ session_id: session }, "session_id")) throw unfit(`session ${quote(String(session))}, expected a UUID`);
  if (
    plan !== undefined &&
    !(isJsonObject(plan) && typeof plan.file === "string" && Number.isSafeInteger(plan.total_tasks) && plan.total_tasks >= 0)
  )
    throw unfit("plan, expected the name of a file, and how many tasks it has");
  const report = (error: unknown): void => {
    try {
      onError(error);
    } catch {
      // Who cannot be told of failures must not turn them into others.
    }
  };
  const journal = await openJournal(kernel, { run, store, session, join, plan, now, onError: report });
  const turns = new Passing<Promise<unknown>>();
  const policyDigest = digestOf(kernel.policy as JsonObject);
  const policies = (): Policies => ({ ...journal.fold.view(policiesOnRecord), [policyDigest]: kernel.policy });

  async function appendAndDeliver(drafts: readonly EventDraft[], condition: Condition = {}): Promise<readonly LogEvent[]> {
    const { events, written } = await journal.append(drafts, condition);
    await written;
    return events;
  }

  // Where the phase and the phase that a transition leaves are concerned the log is right, whatever the caller says.
  function stamp(input: Subject, before: Fold): Subject {
    const phase = typeof input.task === "string" ? phaseOf(before.view(currentPhases), input.task) : undefined;
    // What is undefined here the kernel leaves out.
    const stamped = { ...input, phase, run, session: journal.session, at: journal.time() };
    if (input.hook === "onTransition") return { ...stamped, from: phase } as Subject;
    return (input.hook === "onEnforcement" ? { ...stamped, ...attemptOf(input, before.view) } : stamped) as Subject;
  }

  function refused(input: Subject, error: unknown, before: Fold): readonly [Subject, Decision] {
    const decision = kernel.refuse(input, "invalid_call", messageOf(error));
    if (input.hook !== "onEnforcement") return [{ hook: input.hook } as Subject, decision];
    // What cannot be read spends an attempt too: else an agent had as many as it likes.
    const subject: Subject = { hook: input.hook, ...readableIn(input) };
    return [{ ...subject, ...attemptOf(subject, before.view) }, decision];
  }

  async function judge(input: Subject, before: Fold): Promise<readonly [Subject, Decision]> {
    try {
      const subject = await kernel.prepare(stamp(input, before));
      const { grants } = before.view(openApprovals);
      const grant = grants === null ? undefined : find(grants, approvalDigest(subject, policyDigest));
      const decided = kernel.decide(subject, before.view, grant);
      return [subject, decided instanceof Promise ? await decided : decided];
    } catch (error) {
      return refused(input, error, before);
    }
  }

  // One after the other for one task, or one agent without a task: they would only make each other's decisions stale.
  function inTurn<T>({ task, agent }: Who, work: () => Promise<T>): Promise<T> {
    // An agent that is named like a task only waits for it.
    const key = typeof task === "string" ? task : JSON.stringify({ agent });
    const before = turns.get(key);
    const turn = before === undefined ? work() : before.then(work);
    const over = (): void => {
      if (turns.get(key) === last) turns.delete(key);
    };
    const last: Promise<void> = turn.then(over, over);
    turns.set(key, last);
    return turn;
  }

  async function ask(hook: HookName, given: object, { request_id: asked_as, documents: beside = [] }: AskOptions = {}): Promise<Outcome> {
    let input = { hook } as Subject;
    let unreadable: unknown;
    try {
      // A copy, so that the caller changes nothing on the way.
      input = freezeJson({ ...given, hook }) as unknown as Subject;
    } catch (error) {
      unreadable = error;
      if (hook === "onEnforcement") input = { hook, ...readableIn(given) };
    }
    const who = whoIn(input);
    return inTurn(who, async () => {
      const request_id = unreadable === undefined ? questionName(input, asked_as) : undefined;
      let problem: unknown;
      for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
        const before = journal.fold;
        const [subject, judged] = unreadable === undefined ? await judge(input, before) : refused(input, unreadable, before);
        const decision = recovered(subject, judged);
        // The document makes an approval one-use even where two processes read it at once.
        const used = { kind: "approval", id: `${run}:${decision.approval}`, value: "used", if_version: 0 };
        const documents = decision.approval === undefined ? beside : [...beside, used];
        let appended: Appended;
        try {
          const [type, details] = eventOf(hook, subject, decision, policyName(hook, policyDigest, before.view));
          const event = clipped(journal.draft(type, input, details));
          appended = await journal.append([event], {
            ...{ before, stale: (other) => concerns(other, input) || (who !== input && concerns(other, who)), documents },
            ...present({ request_id }),
          });
        } catch (error) {
          problem = error;
          if (!(error instanceof StoreConflict)) break;
          await journal.catchUp().catch(report);
          continue;
        }
        // From here on it is on record, and is not tried again.
        const { events, written, replayed } = appended;
        const outcome = replayed ? outcomeOf(input, events, policies()) : { decision, applied: decision.applied, events };
        return written.then(
          () => outcome ?? absent(input, "the first answer is not on record", events),
          (error: unknown) => absent(input, error, events),
        );
      }
      return absent(input, problem, []);
    });
  }

  // What cannot be recorded must not happen.
  function absent(input: Subject, error: unknown, events: readonly LogEvent[]): Outcome {
    const reason = `Unexpected failure to record the decision, expected a durable log: ${messageOf(error)}`;
    const decision = kernel.refuse(input, "engine_absent", reason);
    // A host that went on would call its model for ever, and spend no attempt.
    return { decision: input.hook === "onEnforcement" ? { ...decision, recovery: "end" } : decision, applied: "deny", events };
  }

  return {
    run,
    session: journal.session,
    get head() {
      return journal.fold.head;
    },
    view: (projection) => journal.fold.view(projection),
    toolCall: (call, options) => ask("beforeToolCall", call, options),
    transition: (request, options) => ask("onTransition", request, options),
    behave: (action, options) => ask("onBehavior", action, options),
    respond: (response, options) => ask("onEnforcement", response, options),
    async toolResult({ id, tool, ok, result = null, ...who }, { documents = [] } = {}) {
      const texts: readonly unknown[] = [id, tool, who.agent ?? "", who.task ?? ""];
      if (typeof ok !== "boolean" || texts.some((text) => typeof text !== "string")) throw unfit("tool result, expected its call and `ok`");
      return appendAndDeliver([journal.draft("tool_result", who, { id, tool, ok, result })], { documents: copied(documents) });
    },
    async approve({ subject, by, expires_at }, { documents = [] } = {}) {
      if (!isJsonObject(subject)) throw unfit("approval of nothing, expected a subject");
      if (typeof by !== "string" || by === "") throw unfit("approval by nobody, expected the name of a person");
      if (!TIME.test(expires_at) || Number.isNaN(Date.parse(expires_at)))
        throw unfit(`expiry \`${expires_at}\`, expected an RFC 3339 time`);
      const digest = approvalDigest(await kernel.prepare(stamp(subject, journal.fold)), policyDigest);
      const granted = journal.draft("approval_granted", subject, { digest, policy: kernel.policy, by, expires_at });
      return appendAndDeliver([granted], { documents: copied(documents) });
    },
    async record(given, { task, documents = [], request_id } = {}) {
      const drafts = given.map(draftOf);
      const condition = {
        ...{ documents: copied(documents), ...present({ task: structuredClone(task) }) },
        ...(request_id === undefined ? {} : { request_id: requestName("record", request_id, drafts.map(contentOf)) }),
      };
      const { events, written } = await journal.append(drafts, condition);
      await written;
      return events;
    },
    async claim({ queue, agent, lease_ms, request_id, event }) {
      // Of the ids of this agent in every other run this one is to be kept apart.
      const request = { queue, agent, lease_ms, ...present({ request_id: request_id && JSON.stringify([run, request_id]) }) };
      const taken = await journal.claim(request, (claim) => draftOf(event(claim)));
      await taken?.written;
      return taken?.claim;
    },
    catchUp: () => journal.catchUp(),
    close: () => journal.close(),
  };

  /** The draft of an event of a type that a plugin declares, as that wants it. */
  function draftOf({ event_type, agent_id, task_id, details: said }: Recordable): EventDraft {
    // A copy, so that what is checked is what is recorded.
    const details = freezeJson(said) as JsonObject;
    if (![agent_id, task_id].every((id) => id === null || typeof id === "string")) throw unfit("agent or task, expected text or null");
    const types = kernel.declared.events.filter(({ name }) => name === event_type && !OWN.has(name));
    if (types.length === 0) throw unfit(`event type \`${event_type}\`, expected one that a plugin declares`, nearType(event_type));
    for (const type of types) {
      const parsed = type.details.safeParse(details);
      if (!parsed.success) throw invalid(problemOf(event_type, parsed.error.issues, details), "send the details that the plugin declares");
    }
    return journal.draft(event_type, { agent: agent_id, task: task_id }, details);
  }

  function nearType(wrong: string): string | undefined {
    if (typeof wrong !== "string") return undefined;
    return didYouMean(wrong, new Set(kernel.declared.events.map(({ name }) => name).filter((name) => !OWN.has(name))));
  }
}

// So that nobody changes on the way what is written.
const copied = (documents: readonly DocumentWrite[]): readonly DocumentWrite[] => documents.map((one) => ({ ...one }));

// Without its date: a request that is made again is made later.
const contentOf = ({ event_type, agent_id, task_id, details }: EventDraft): Json => ({ event_type, agent_id, task_id, details });

const unfit = (what: string, fix?: string): BylawError => invalid(`Unexpected ${what}`, fix);

const invalid = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_INVALID", message, ...present({ fix }) });

// The attempts of an agent are its own, whatever task it says that it is at.
const whoIn = (subject: Subject): Who => (subject.hook === "onEnforcement" ? present({ agent: subject.agent }) : subject);

// Another writer's event makes a decision stale only where it concerns the same task, or the same agent without one.
const concerns = ({ task_id, agent_id }: Trace, { task, agent = null }: Who): boolean =>
  task === undefined ? agent_id === agent : task_id === task;
