import type { Kernel, LogEvent, Store } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { OpenGate } from "@bylaw/plugin-gates";
import { quote } from "@bylaw/wording";
import {
  checkAnswerable,
  nothingOpen,
  recordAnswer,
  refuseAgents,
  rolesOf,
  unanswerable,
  waiversOf,
  type Answerer,
  type OpenId,
  type ProjectGates,
  type QuestionFold,
} from "../approvals/index.ts";
import { problem } from "../http/problem.ts";
import { closedCall, closedGate, openQuestion, type Closed, type Standing } from "./approval-state.ts";
import type { Feed } from "./feed.ts";
import type { Follower } from "./follower.ts";
import { setLatest } from "./latest.ts";
import { QUESTION_TOOL, answered } from "./questions.ts";

/** What somebody says to a question. */
interface Said {
  readonly answer: "yes" | "no";
  readonly role?: string | undefined;
  readonly reason?: string | undefined;
  /** RFC 3339. Default: a quarter of an hour from now. Of a yes to a call alone. */
  readonly expires_at?: string | undefined;
}

/** What somebody lets pass. */
interface Waived {
  readonly task: string;
  readonly gate: string;
  readonly check: string;
  readonly role?: string | undefined;
  readonly reason: string;
  readonly expires_at: string;
}

/** Whose questions somebody may see: all, or those of one task. */
export interface Sight {
  readonly task?: string;
}

/** How long somebody waits for a change. */
interface Wait {
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** A page of questions. */
interface OpenPage {
  readonly approvals: readonly Standing[];
  readonly total: number;
  readonly next?: string;
}

/** What waits for people, and what they say. */
export interface Approvals {
  open(sight: Sight, page: { readonly limit: number; readonly after?: string | undefined }): Promise<OpenPage>;
  /** One question, of which it may wait for a change; `undefined` for an id that nothing is known of. */
  get(id: string, sight: Sight, wait?: Wait): Promise<Standing | Closed | undefined>;
  /**
   * Records what somebody says, with another view of the run where one is given (`through`). Throws BYLAW_APPROVAL_MISSING,
   * BYLAW_APPROVAL_UNAUTHORIZED, BYLAW_APPROVAL_UNFIT, and what a run throws that records.
   */
  answer(id: string, who: Answerer, said: Said, through?: Run): Promise<LogEvent>;
  waive(who: Answerer, waived: Waived, through?: Run): Promise<LogEvent>;
  /** How many questions are open, as of the last event that was taken. */
  count(): number;
}

interface ApprovalTerms {
  readonly run: Run;
  readonly store: Pick<Store, "get">;
  readonly kernel: Pick<Kernel, "declared" | "policy">;
  readonly gates: ProjectGates | undefined;
  readonly questions: QuestionFold;
  readonly follower: Follower;
  readonly feed: Feed;
  readonly now: () => string;
}

/** How long a yes to a call holds, in milliseconds. */
const CALL_FOR = 900_000;
/** The longest that an answer holds. */
const LONGEST = 366 * 86_400_000;
/** The document by which of two answers to a call that come at the same moment one is too late, and how long it is kept. */
const KIND = "bylaw/answer-to";
const ANSWER_KEPT = 86_400_000;
/** How many gates are known that wait no more. */
const GATES = 10_000;
/** What may change how a question of a task stands. */
const CHANGES: ReadonlySet<string> = new Set([
  ...["approval_granted", "approval_refused", "tool_asked", "tool_allowed", "tool_denied"],
  ...["gate_decided", "gate_closed", "gate_escalated", "check_waived", "phase_entered", "transition_blocked"],
]);

export function createApprovals({ run, store, kernel, gates, questions, follower, feed, now }: ApprovalTerms): Approvals {
  const idIn = (id: string): string => JSON.stringify([run.run, id]);
  const time = (): number => Date.parse(now());
  const known = new Map<string, OpenGate>();
  const sees = ({ task }: Sight, about: string | null): boolean => task === undefined || about === task;

  async function listed({ task }: Sight = {}): Promise<readonly OpenId[]> {
    await Promise.all([follower.fresh(), run.catchUp()]);
    const open = questions.open({ view: run.view, now: time(), task });
    for (const one of open) if (one.kind === "gate") setLatest(known, one.id, one.gate, GATES);
    return open;
  }

  async function standing(id: string, sight: Sight): Promise<Standing | Closed | undefined> {
    const open = (await listed(sight)).find((one) => one.id === id);
    if (open !== undefined) return openQuestion(await questions.read(open));
    const gate = known.get(id);
    if (gate !== undefined) return sees(sight, gate.task) ? closedGate(id, gate, questions.rejection(gate)) : undefined;
    const call = questions.call(id, time());
    return call === undefined || call.state === "open" || !sees(sight, call.task) ? undefined : closedCall(call);
  }

  /** Where a list goes on behind a question; from where that stood if it was answered meanwhile. */
  function behind(all: readonly OpenId[], after: string): number {
    const index = all.findIndex(({ id }) => id === after);
    if (index !== -1) return index + 1;
    const gate = known.get(after);
    const call = gate === undefined ? questions.call(after, time()) : undefined;
    if (gate === undefined && call === undefined) throw unknownPage(after);
    const next = all.findIndex((one) =>
      one.kind === "gate" ? gate !== undefined && one.gate.task >= gate.task : call === undefined || one.call.sequence > call.sequence,
    );
    return next === -1 ? all.length : next;
  }

  /** `from`: where the log ended before it was seen how the question stands. */
  async function changed(before: Standing, from: number, { ms, signal }: Wait, sight: Sight): Promise<Standing | Closed | undefined> {
    const end = performance.now() + ms;
    const said = JSON.stringify(before.kind === "gate" ? before.approvals : before.state);
    let position = from;
    const listener = feed.listen();
    try {
      for (let left = ms; left > 0 && !signal.aborted; left = end - performance.now()) {
        const frames = await listener.after(position, { ms: left, signal });
        if (frames.length === 0) break;
        position = frames.at(-1)?.sequence ?? position;
        if (!frames.some(({ type, task }) => task === before.task && CHANGES.has(type))) continue;
        const found = await standing(before.id, sight);
        if (found?.state !== "open" || (found.kind === "gate" && JSON.stringify(found.approvals) !== said)) return found;
      }
      return await standing(before.id, sight);
    } finally {
      listener.close();
    }
  }

  function roleFor(who: Answerer, as: string | undefined, approvers: readonly string[]): string {
    const [only, ...others] = rolesOf(who, as, approvers);
    if (only !== undefined && others.length === 0) return only;
    throw unanswerable(`Unexpected answer without a role, expected one of ${[only, ...others].join(", ")}`, "say it as `role`");
  }

  // An agent that a gate names as its approver comes with a credential of its own, and did not work on the task: the gate sees to that.
  async function checkPerson({ by }: Answerer, role: string | undefined): Promise<void> {
    await follower.fresh();
    if (role === undefined || role === "human") refuseAgents(by, questions.agents);
  }

  function until(given: string | undefined, otherwise: number): string {
    const end = given === undefined ? time() + otherwise : Date.parse(given);
    if (end > time() && end <= time() + LONGEST) return new Date(end).toISOString();
    throw unanswerable(`Unexpected end \`${String(given)}\`, expected a time within a year from now`, "say it as `expires_at`");
  }

  return {
    async get(id, sight, wait) {
      const from = follower.head;
      const found = await standing(id, sight);
      return wait === undefined || wait.ms <= 0 || found?.state !== "open" ? found : await changed(found as Standing, from, wait, sight);
    },
    async open(sight, { limit, after }) {
      const all = await listed(sight);
      const begin = after === undefined ? 0 : behind(all, after);
      const page = all.slice(begin, begin + limit);
      const approvals: Standing[] = [];
      for (const one of page) approvals.push(openQuestion(await questions.read(one)));
      const last = page.at(-1);
      return { approvals, total: all.length, ...(last !== undefined && begin + limit < all.length ? { next: last.id } : {}) };
    },
    async answer(id, who, { answer, role: as, reason, expires_at }, through = run) {
      // Read first: who answers in between makes another version of it.
      const before = await store.get(KIND, idIn(id));
      const open = (await listed()).find((one) => one.id === id);
      if (open === undefined) throw nothingOpen(id);
      const question = await questions.read(open);
      if (question.kind === "gate" && expires_at !== undefined)
        throw unanswerable(
          "Unexpected `expires_at` at a gate, expected it with a tool call",
          "the yes is to these artifacts: leave it out",
        );
      if (question.kind === "call" && as !== undefined)
        throw unanswerable("Unexpected role beside a tool call, expected it at a gate", "leave `role` out");
      if (answer === "no" && (reason ?? "").trim() === "")
        throw unanswerable("Unexpected no without a reason, expected `reason`", "say what has to change: the agent reads it");
      const asks = question.kind === "call" && question.tool === QUESTION_TOOL;
      if (question.kind === "call" && answer === "yes" && reason !== undefined && !asks)
        throw unanswerable(
          "Unexpected reason beside a yes to a tool call, expected it with a question, a gate or a no",
          "leave `reason` out",
        );
      const role = question.kind === "gate" ? roleFor(who, as, question.approvers) : undefined;
      await checkPerson(who, role);
      const verdict = answer === "yes" ? "approved" : "rejected";
      await checkAnswerable(question, verdict, { kernel, gates });
      const ends = until(expires_at, CALL_FOR);
      const kept = until(undefined, ANSWER_KEPT);
      const next = (version: number) => [{ kind: KIND, id: idIn(id), value: verdict, if_version: version, expires_at: kept }];
      let version = before?.version ?? 0;
      // First what is said, then that the call may be made again and is told it.
      if (asks && answer === "yes") {
        const words = { by: who.by, answer: reason?.trim() || "yes" };
        await through.record([answered(id, question, question.args, words)], { documents: next(version++) });
      }
      const said = { verdict, by: who.by, role, reason, expires_at: ends, documents: next(version) } as const;
      return await recordAnswer(through, question, said, { kernel, gates }, now);
    },
    async waive(who, { task, gate, check, role: as, reason, expires_at }, through = run) {
      if (gates === undefined)
        throw unanswerable("Unexpected waiver without gates, expected a contract with some", "there is nothing to waive");
      const role = roleFor(who, as, waiversOf(gates, gate));
      await checkPerson(who, role);
      await run.catchUp();
      const waived = { task, gate, check, by: who.by, role, reason, expires_at: until(expires_at, 0) };
      return await gates.plugin.waiveCheck(gates.run(through), waived);
    },
    count: () => questions.open({ view: run.view, now: time() }).length,
  };
}

const unknownPage = (after: string) =>
  problem({
    ...{ status: 400, code: "BYLAW_REQUEST_INVALID", detail: `Unexpected \`after\` of ${quote(after)}, expected the \`next\` of a page` },
    fix: "list from the beginning",
  });
