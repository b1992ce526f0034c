import type { Kernel, LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { DocumentWrite, Store } from "@bylaw/store";
import { isBlank } from "@bylaw/wording";
import {
  checkAnswerable,
  recordAnswer,
  refuseAgents,
  rolesOf,
  waiversOf,
  type Answerer,
  noOpenQuestion,
  unanswerable,
} from "./answers.ts";
import { QUESTION_TOOL, answered } from "./ask-user.ts";
import type { ProjectGates } from "./gates.ts";
import { overlayRun, viewsByName } from "../service/overlay-run.ts";
import { QuestionList, type QuestionListOptions } from "./question-list.ts";
import type { Question } from "./questions.ts";

interface GivenAnswer {
  readonly answer: "yes" | "no";
  readonly role?: string | undefined;
  readonly reason?: string | undefined;
  /** RFC 3339; only for a yes to a call. Default: in 15 minutes. */
  readonly expires_at?: string | undefined;
}

interface WaiverRequest {
  readonly task: string;
  readonly gate: string;
  readonly check: string;
  readonly role?: string | undefined;
  readonly reason: string;
  readonly expires_at: string;
}

interface ApprovalOptions extends QuestionListOptions {
  readonly run: Run;
  readonly store: Pick<Store, "get">;
  readonly kernel: Pick<Kernel, "declared" | "policy">;
  readonly gates: ProjectGates | undefined;
}

/** How long a yes to a call counts by default, in milliseconds. */
const CALL_FOR = 900_000;
/** The longest time that an answer may count, in milliseconds. */
const MAX_MS = 366 * 86_400_000;
/** The document that lets only one of two simultaneous answers to a call through, and how long it is kept. */
const KIND = "bylaw/answer-to";
const ANSWER_KEPT = 86_400_000;

export class Approvals {
  readonly list: QuestionList;
  readonly #options: ApprovalOptions;

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.list = new QuestionList(options);
  }

  /**
   * Records an answer, through the given run if there is one. Throws BYLAW_APPROVAL_MISSING, BYLAW_APPROVAL_UNAUTHORIZED,
   * BYLAW_APPROVAL_UNFIT, and what recording to the run throws.
   */
  async answer(
    id: string,
    who: Answerer,
    given: GivenAnswer,
    through: Run = this.#options.run,
  ): Promise<LogEvent> {
    const { run, store, kernel, gates, questions, now } = this.#options;
    const documentId = JSON.stringify([run.run, id]);
    // Read this first: an answer that comes in between changes its version, so this one fails.
    const before = await store.get(KIND, documentId);
    const open = (await this.list.open()).find((one) => one.id === id);
    if (open === undefined) throw noOpenQuestion(id, questions.call(id, Date.parse(now()))?.state);
    const question = await questions.read(open);
    checkGiven(question, given);
    const { answer, reason } = given;
    const role =
      question.kind === "gate" ? roleFor(who, given.role, question.approvers) : undefined;
    await this.#checkPerson(who, role);
    const verdict = answer === "yes" ? "approved" : "rejected";
    await checkAnswerable(question, verdict, { kernel, gates });
    const expires_at = this.#until(given.expires_at, CALL_FOR);
    const kept = this.#until(undefined, ANSWER_KEPT);
    const guardOf = (version: number): readonly DocumentWrite[] => [
      { kind: KIND, id: documentId, value: verdict, if_version: version, expires_at: kept },
    ];
    let version = before?.version ?? 0;
    // Record the words first, then the approval: the repeated call must find its answer.
    if (isAskUser(question) && answer === "yes") {
      const words = { by: who.by, answer: isBlank(reason ?? "") ? "yes" : (reason ?? "").trim() };
      const documents = guardOf(version++);
      await through.record([answered(id, question, question.args, words)], { documents });
    }
    const documents = guardOf(version);
    const recorded = { verdict, by: who.by, role, reason, expires_at, documents } as const;
    const byName = viewsByName(kernel);
    const into =
      question.kind === "pause" ? overlayRun(through, { view: byName(through.view) }) : through;
    return await recordAnswer(into, question, recorded, { kernel, gates }, now);
  }

  /** Records a waiver. Throws as {@link answer}. */
  async waive(
    who: Answerer,
    { task, gate, check, role: as, reason, expires_at }: WaiverRequest,
    through: Run = this.#options.run,
  ): Promise<LogEvent> {
    const { run, gates } = this.#options;
    if (gates === undefined)
      throw unanswerable("The contract has no gates", "There is nothing to waive.");
    const role = roleFor(who, as, waiversOf(gates, gate));
    await this.#checkPerson(who, role);
    await run.catchUp();
    const until = this.#until(expires_at, 0);
    const waiver = { task, gate, check, by: who.by, role, reason, expires_at: until };
    return await gates.plugin.waiveCheck(gates.run(through), waiver);
  }

  /**
   * Records that a mark is cleared, as if no call had set it. Throws like {@link answer}, and BYLAW_EVENT_REFUSED if no policy defines the
   * mark.
   */
  async clearMark(
    who: Answerer,
    mark: string,
    through: Run = this.#options.run,
  ): Promise<LogEvent> {
    const { run, kernel } = this.#options;
    // The plugin refuses a mark that no policy defines.
    if (!kernel.declared.plugins.includes("@bylaw/plugin-policy"))
      throw unanswerable("This server has no policies", "There is nothing to clear.");
    await this.#checkPerson(who, undefined);
    await run.catchUp();
    const [event] = await through.clearMark({ mark, by: who.by });
    if (event === undefined) throw new Error("Nothing was recorded");
    return event;
  }

  // An agent that a gate names as its approver has its own credential and has not worked on the task, which the gate checks.
  async #checkPerson({ by }: Answerer, role: string | undefined): Promise<void> {
    const { follower, questions } = this.#options;
    await follower.fresh();
    if (role === undefined || role === "human") refuseAgents(by, questions.agents);
  }

  #until(given: string | undefined, otherwise: number): string {
    const time = Date.parse(this.#options.now());
    const end = given === undefined ? time + otherwise : Date.parse(given);
    if (end > time && end <= time + MAX_MS) return new Date(end).toISOString();
    throw unanswerable(
      `\`expires_at\` must be within a year from now, and \`${String(given)}\` is not`,
      "Send another `expires_at`.",
    );
  }
}

const isAskUser = (question: Question): question is Extract<Question, { kind: "call" }> =>
  question.kind === "call" && question.tool === QUESTION_TOOL;

function roleFor(who: Answerer, as: string | undefined, approvers: readonly string[]): string {
  const [only, ...others] = rolesOf(who, as, approvers);
  if (only !== undefined && others.length === 0) return only;
  throw unanswerable(
    `You have several of the roles that may answer: ${[only, ...others].join(", ")}`,
    "Choose one with `role`.",
  );
}

/** Throws BYLAW_APPROVAL_UNFIT for fields that do not belong to such an answer. */
function checkGiven(question: Question, { answer, role, reason, expires_at }: GivenAnswer): void {
  if (question.kind === "gate" && expires_at !== undefined)
    throw unanswerable(
      "An answer at a gate does not expire: it counts only for these artifacts",
      "Leave `expires_at` out.",
    );
  if (question.kind !== "gate" && role !== undefined)
    throw unanswerable("A role counts only at a gate", "Leave `role` out.");
  if ((question.kind === "pause" || question.kind === "hold") && expires_at !== undefined)
    throw unanswerable(`The end of a ${question.kind} does not expire`, "Leave `expires_at` out.");
  if (answer === "no" && isBlank(reason ?? ""))
    throw unanswerable(
      "A rejection needs a reason",
      "Say in `reason` what has to change. The agent reads it.",
    );
  const isPlainYes = question.kind === "call" && answer === "yes" && !isAskUser(question);
  if (isPlainYes && reason !== undefined)
    throw unanswerable("A yes to a tool call takes no reason", "Leave `reason` out.");
}
