import { type View, omitUndefined } from "@bylaw/kernel";
import { CALL_EVENTS, foldName, type Run } from "@bylaw/log";
import type { OpenGate, GateVote } from "@bylaw/plugin-gates";
import { quote } from "@bylaw/wording";
import type { Feed } from "../events/feed.ts";
import type { LogFollower } from "../events/log-follower.ts";
import { badRequest } from "../http/problem.ts";
import { setBounded } from "../service/bounded-map.ts";
import type { AskedCall, CallState } from "./calls.ts";
import type { OpenId, Question, QuestionFold } from "./questions.ts";

/** Whose questions to show: all, or those of one task. */
export interface QuestionScope {
  readonly task?: string;
}

export interface Wait {
  readonly ms: number;
  readonly signal: AbortSignal;
}

export interface QuestionListOptions {
  readonly run: Pick<Run, "catchUp"> & { readonly view: View };
  readonly questions: QuestionFold;
  readonly follower: LogFollower;
  readonly feed: Feed;
  readonly now: () => string;
}

/** How many gates are kept that no longer wait. */
const GATES = 10_000;
/** The events that may change the state of a question. */
const CHANGES: ReadonlySet<string> = new Set([
  "approval_granted",
  "approval_refused",
  ...CALL_EVENTS,
  "tool_result",
  "gate_decided",
  "gate_closed",
  "gate_escalated",
  "check_waived",
  "phase_entered",
  "transition_blocked",
  "checkpoint_resumed",
  "oversight_acknowledged",
  "oversight_given",
]);

export class QuestionList {
  readonly #options: QuestionListOptions;
  /** Gates that were open before, so that their answer can be shown later. */
  readonly #gates = new Map<string, OpenGate>();

  constructor(options: QuestionListOptions) {
    this.#options = options;
  }

  async open({ task }: QuestionScope = {}): Promise<readonly OpenId[]> {
    const { run, questions, follower } = this.#options;
    await Promise.all([follower.fresh(), run.catchUp()]);
    const open = questions.open({ view: run.view, now: this.#time(), task });
    for (const one of open)
      if (one.kind === "gate") setBounded(this.#gates, one.id, one.gate, GATES);
    return open;
  }

  /** Whether an agent of the run has this name, up to the last event that was read. */
  isAgent(name: string): boolean {
    return this.#options.questions.agents.has(foldName(name));
  }

  /** The number of open questions after the last event that was read. */
  count(): number {
    const { run, questions } = this.#options;
    return questions.open({ view: run.view, now: this.#time() }).length;
  }

  async page(
    scope: QuestionScope,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ) {
    const all = await this.open(scope);
    const begin = after === undefined ? 0 : this.#indexAfter(all, after);
    const page = all.slice(begin, begin + limit);
    const approvals: OpenQuestion[] = [];
    for (const one of page) approvals.push(openQuestion(await this.#options.questions.read(one)));
    const last = page.at(-1);
    const hasMore = last !== undefined && begin + limit < all.length;
    return { approvals, total: all.length, ...(hasMore ? { next: last.id } : {}) };
  }

  /** Resolves to one question, after waiting for a change of it. `undefined` for an unknown id. */
  async get(
    id: string,
    scope: QuestionScope,
    wait?: Wait,
  ): Promise<OpenQuestion | ClosedQuestion | undefined> {
    const from = this.#options.follower.head;
    const found = await this.#find(id, scope);
    return wait === undefined || wait.ms <= 0 || found?.state !== "open"
      ? found
      : await this.#changed(found as OpenQuestion, from, wait, scope);
  }

  async #find(
    id: string,
    scope: QuestionScope,
  ): Promise<OpenQuestion | ClosedQuestion | undefined> {
    const { questions } = this.#options;
    const sees = (task: string | null): boolean => scope.task === undefined || task === scope.task;
    const open = (await this.open(scope)).find((one) => one.id === id);
    if (open !== undefined) return openQuestion(await questions.read(open));
    const gate = this.#gates.get(id);
    if (gate !== undefined)
      return sees(gate.task) ? closedGate(id, gate, questions.rejection(gate)) : undefined;
    const stop = questions.stops.ended(id);
    if (stop !== undefined) return sees(stop.task) ? { ...stop, state: "approved" } : undefined;
    const call = questions.call(id, this.#time());
    if (call === undefined || call.state === "open" || !sees(call.task)) return undefined;
    return closedCall(call);
  }

  /** The index at which a list continues after a question. If that was answered in the meantime, its former position counts. */
  #indexAfter(all: readonly OpenId[], after: string): number {
    const index = all.findIndex(({ id }) => id === after);
    if (index !== -1) return index + 1;
    const gate = this.#gates.get(after);
    const call = gate === undefined ? this.#options.questions.call(after, this.#time()) : undefined;
    if (gate === undefined && call === undefined)
      throw badRequest(
        `\`after\` must be the \`next\` of a page, and ${quote(after)} is not`,
        "List from the beginning.",
      );
    const next = all.findIndex((one) =>
      one.kind === "gate"
        ? gate !== undefined && one.gate.task >= gate.task
        : one.kind !== "call" || call === undefined || one.call.sequence > call.sequence,
    );
    return next === -1 ? all.length : next;
  }

  /** `from`: the end of the log before the question was read. */
  async #changed(
    before: OpenQuestion,
    from: number,
    { ms, signal }: Wait,
    scope: QuestionScope,
  ): Promise<OpenQuestion | ClosedQuestion | undefined> {
    const end = performance.now() + ms;
    const said = answersOf(before);
    let position = from;
    const listener = this.#options.feed.listen();
    try {
      for (let left = ms; left > 0 && !signal.aborted; left = end - performance.now()) {
        const frames = await listener.after(position, { ms: left, signal });
        if (frames.length === 0) break;
        position = frames.at(-1)?.sequence ?? position;
        if (!frames.some(({ type, task }) => task === before.task && CHANGES.has(type))) continue;
        const found = await this.#find(before.id, scope);
        if (found?.state !== "open") return found;
        if (found.kind === "gate" && answersOf(found) !== said) return found;
      }
      return await this.#find(before.id, scope);
    } finally {
      listener.close();
    }
  }

  #time(): number {
    return Date.parse(this.#options.now());
  }
}

const answersOf = (question: OpenQuestion): string =>
  JSON.stringify(question.kind === "gate" ? question.approvals : question.state);

/**
 * An open question with everything that a person needs to see. A gate is `approved` when enough people said yes and the agent must ask
 * again.
 */
export type OpenQuestion = Question & { readonly state: "open" | "approved" };

export interface ClosedQuestion {
  readonly id: string;
  readonly kind: "gate" | "call" | "pause" | "hold";
  /** `settled`: no answer was needed any more, or the agent continued. */
  readonly state: Exclude<CallState, "open">;
  readonly agent: string | null;
  readonly task: string | null;
  readonly by?: string;
  readonly reason?: string;
  /** RFC 3339: when a yes to a call expires, or when the question did. */
  readonly expires_at?: string;
}

/** An open question with its state. */
export function openQuestion(question: Question): OpenQuestion {
  if (question.kind === "call") {
    // The agent that asked may read the list, and must not learn that nobody is looking.
    const { untold: _, ...call } = question;
    return { ...call, state: "open" };
  }
  if (question.kind !== "gate") return { ...question, state: "open" };
  const yes = question.approvals.filter(({ verdict }) => verdict === "approved").length;
  return { ...question, state: yes >= question.quorum ? "approved" : "open" };
}

const closedCall = ({ id, state, agent, task, by, reason, until }: AskedCall): ClosedQuestion => ({
  id,
  kind: "call",
  state: state === "open" ? "settled" : state,
  agent,
  task,
  ...omitUndefined({
    by,
    reason,
    expires_at: until === undefined ? undefined : new Date(until).toISOString(),
  }),
});

const closedGate = (
  id: string,
  { agent, task }: OpenGate,
  no: GateVote | undefined,
): ClosedQuestion => ({
  id,
  kind: "gate",
  state: no === undefined ? "settled" : "rejected",
  agent,
  task,
  ...(no === undefined ? {} : { by: no.by, ...(no.reason === null ? {} : { reason: no.reason }) }),
});
