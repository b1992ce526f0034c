import {
  isJsonObject,
  omitUndefined,
  type EventDraft,
  type Json,
  type Kernel,
  type LogEvent,
} from "@bylaw/kernel";
import type { DocumentWrite, Store } from "@bylaw/store";
import { isBlank, quote } from "@bylaw/wording";
import { eventTime, fieldFits } from "../format/codec/envelope.ts";
import { approvalDigest } from "../state/approval.ts";
import type { EventType } from "../state/declared.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { DecisionRecorder } from "./decision-recorder.ts";
import { declaredDraft, invalidEvent } from "./declared-draft.ts";
import type { Condition, Journal } from "./journal-contract.ts";
import { openJournal } from "./journal.ts";
import { refuseQuestion } from "./refuse-question.ts";
import { requestName } from "./request.ts";
import type { OpenOptions, Plan, Run } from "./run-contract.ts";

/**
 * Opens a run: reads its log and records from then on. The first event says that a session begins or resumes the log. Throws what the store
 * and required sinks throw, what a projection throws, BYLAW_EVENT_REFUSED if the session may not begin, and BYLAW_EVENT_INVALID for a
 * session or plan that a log cannot hold. With `chain`, also BYLAW_CHAIN_BROKEN for a log that was changed.
 */
export async function openRun(kernel: Kernel, options: OpenOptions): Promise<Run> {
  const {
    run,
    store = createMemoryStore(),
    session = globalThis.crypto.randomUUID(),
    join = false,
    now = () => new Date().toISOString(),
    plan,
    types = [],
    chain,
    onError = () => {},
  } = options;
  if (!fieldFits({ session_id: session }, "session_id"))
    throw invalidEvent(`The session ${quote(String(session))} is not a UUID`);
  if (plan !== undefined && !isPlan(plan))
    throw invalidEvent("A plan needs `file`, a text, and `total_tasks`, a whole number");
  const report = async (error: unknown): Promise<void> => {
    try {
      await onError(error);
    } catch {
      // An `onError` that fails must not hide the original error, nor end the process.
    }
  };
  const opening = { run, store, session, join, plan, now, chain, onError: report };
  const journal = await openJournal(kernel, opening);
  return new RecordedRun({ kernel, types, journal, run, store, report });
}

const isPlan = (plan: Plan): boolean =>
  isJsonObject(plan) &&
  typeof plan.file === "string" &&
  Number.isSafeInteger(plan.total_tasks) &&
  plan.total_tasks >= 0;

interface RunParts {
  readonly kernel: Kernel;
  readonly types: readonly EventType[];
  readonly journal: Journal;
  readonly run: string;
  readonly store: Store;
  readonly report: (error: unknown) => void;
}

/** Its methods are fields, because hosts pass them on alone and derive objects from a run. */
class RecordedRun implements Run {
  readonly run: string;
  readonly session: string;
  declare readonly head: number;
  readonly #kernel: Kernel;
  readonly #declared: readonly EventType[];
  readonly #journal: Journal;
  readonly #store: Store;
  readonly #decisions: DecisionRecorder;

  constructor({ kernel, types, journal, run, store, report }: RunParts) {
    this.run = run;
    this.session = journal.session;
    this.#kernel = kernel;
    this.#declared = [...kernel.declared.events, ...types];
    this.#journal = journal;
    this.#store = store;
    this.#decisions = new DecisionRecorder({ kernel, journal, run, report });
    Object.defineProperty(this, "head", { enumerable: true, get: () => journal.state.head });
  }

  readonly view: Run["view"] = (projection) => this.#journal.state.view(projection);
  readonly now = (): string => this.#journal.time();
  readonly catchUp = (): Promise<void> => this.#journal.catchUp();
  readonly close = (): Promise<void> => this.#journal.close();

  readonly toolCall: Run["toolCall"] = (call, options) =>
    this.#decisions.ask("beforeToolCall", call, options);
  readonly transition: Run["transition"] = (request, options) =>
    this.#decisions.ask("onTransition", request, options);
  readonly behave: Run["behave"] = (action, options) =>
    this.#decisions.ask("onBehavior", action, options);
  readonly respond: Run["respond"] = (response, options) =>
    this.#decisions.ask("onEnforcement", response, options);

  readonly toolResult: Run["toolResult"] = async (
    { id, tool, ok, result = null, reported = false, ...who },
    { documents = [] } = {},
  ) => {
    const texts: readonly unknown[] = [id, tool, who.agent ?? "", who.task ?? ""];
    if (typeof ok !== "boolean" || texts.some((text) => typeof text !== "string"))
      throw invalidEvent("A tool result needs `id` and `tool`, both text, and `ok`, true or false");
    const said = { id, tool, ok, result, ...(reported ? { reported } : {}) };
    const draft = this.#journal.draft("tool_result", who, said);
    return this.#append([draft], { documents: copied(documents) });
  };

  readonly approve: Run["approve"] = async (
    { subject, by, expires_at },
    { documents = [] } = {},
  ) => {
    if (!isJsonObject(subject)) throw invalidEvent("An approval needs the `subject` it is for");
    if (typeof by !== "string" || isBlank(by))
      throw invalidEvent("An approval needs `by`, the name of a person");
    if (Number.isNaN(eventTime({ timestamp: expires_at }) ?? Number.NaN))
      throw invalidEvent(`\`expires_at\` is \`${expires_at}\`, which is not an RFC 3339 time`);
    const stamped = this.#decisions.stamp(subject, this.#journal.state);
    const prepared = await this.#kernel.prepare(stamped);
    const digest = approvalDigest(prepared, this.#decisions.policyDigest);
    const details = { digest, policy: this.#kernel.policy, by, expires_at };
    const draft = this.#journal.draft("approval_granted", subject, details);
    return this.#append([draft], { documents: copied(documents) });
  };

  readonly refuse: Run["refuse"] = (request, { documents = [] } = {}) => {
    const source = { run: this.run, store: this.#store, journal: this.#journal };
    return refuseQuestion(source, { ...request }, copied(documents));
  };

  readonly clearMark: Run["clearMark"] = async ({ mark, by }, { documents = [] } = {}) => {
    if ([mark, by].some((text) => typeof text !== "string" || isBlank(text)))
      throw invalidEvent("Clearing a mark needs `mark` and `by`, the name of a person");
    const draft = this.#journal.draft("mark_cleared", {}, { mark, by });
    return this.#append([draft], { documents: copied(documents) });
  };

  readonly record: Run["record"] = async (given, { task, documents = [], request_id } = {}) => {
    const drafts = given.map((one) => declaredDraft(this.#declared, this.#journal, one));
    const name =
      request_id === undefined
        ? undefined
        : requestName("record", request_id, drafts.map(contentOf));
    return this.#append(drafts, {
      documents: copied(documents),
      ...omitUndefined({ task: structuredClone(task), request_id: name }),
    });
  };

  readonly claim: Run["claim"] = async ({ queue, agent, lease_ms, request_id, event }) => {
    // A store keeps claim ids per agent across runs, so the id is combined with the run.
    const id = request_id && JSON.stringify([this.run, request_id]);
    const request = { queue, agent, lease_ms, ...omitUndefined({ request_id: id }) };
    const taken = await this.#journal.claim(request, (claim) =>
      declaredDraft(this.#declared, this.#journal, event(claim)),
    );
    await taken?.written;
    return taken?.claim;
  };

  async #append(drafts: readonly EventDraft[], condition: Condition): Promise<readonly LogEvent[]> {
    const { events, written } = await this.#journal.append(drafts, condition);
    await written;
    return events;
  }
}

// Copies, so that nobody can change what is written.
const copied = (documents: readonly DocumentWrite[]): readonly DocumentWrite[] =>
  documents.map((one) => ({ ...one }));

// Without the time, because a repeated request comes later.
const contentOf = ({ event_type, agent_id, task_id, details }: EventDraft): Json => ({
  event_type,
  agent_id,
  task_id,
  details,
});
