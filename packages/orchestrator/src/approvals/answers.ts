import { omitUndefined, type Kernel, type LogEvent, BylawError } from "@bylaw/kernel";
import { digestOf, foldName, type Run } from "@bylaw/log";
import type { DocumentWrite } from "@bylaw/store";
import type { ProjectGates } from "./gates.ts";
import { endStop } from "./stops.ts";
import type { CallQuestion, GateQuestion, Question } from "./questions.ts";

/** Who answers. */
export interface Answerer {
  readonly by: string;
  /** The roles that this person may speak in; left out where nothing says. */
  readonly roles?: readonly string[] | undefined;
}

/** What is said to a question. */
export interface Answer {
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  /** In which role, at a gate. */
  readonly role?: string | undefined;
  readonly reason?: string | undefined;
  /** RFC 3339: until when a yes to a call holds. */
  readonly expires_at: string;
  /** What is written with the answer to a call, and may keep it from being given twice. */
  readonly documents?: readonly DocumentWrite[];
}

/** What an answer needs of a project. */
export interface AnswerSource {
  readonly kernel: Pick<Kernel, "policy">;
  readonly gates: ProjectGates | undefined;
}

/**
 * The roles that somebody may answer in: the named one, or those of the gate that are theirs, one of which has to be chosen where there
 * are several. Throws BYLAW_APPROVAL_UNAUTHORIZED for a role that is not theirs, and where none is.
 */
export function rolesOf(
  { by, roles }: Answerer,
  as: string | undefined,
  approvers: readonly string[],
): readonly string[] {
  const own = roles === undefined ? approvers : approvers.filter((role) => roles.includes(role));
  if (as !== undefined) {
    if (roles === undefined || roles.includes(as)) return [as];
    throw unauthorized(
      `\`${by}\` does not have the role \`${as}\`, only ${roles.join(", ")}`,
      "Answer in one of your own roles.",
    );
  }
  if (own.length === 0 && roles !== undefined)
    throw unauthorized(
      `This takes ${approvers.join(" or ")}, and \`${by}\` is ${roles.join(", ")}`,
      "Ask someone with that role.",
    );
  return own;
}

/** Throws BYLAW_APPROVAL_UNAUTHORIZED for the name of an agent of the run: agents and people share one space of names. */
export function refuseAgents(by: string, agents: ReadonlySet<string>): void {
  if (agents.has(foldName(by)))
    throw unauthorized(
      `\`${by}\` is an agent of this run, and only a person may answer`,
      "Have someone answer who does not work in this run.",
    );
}

/** Throws BYLAW_APPROVAL_UNFIT for a question that nobody can answer so. */
export async function checkAnswerable(
  question: Question,
  verdict: Answer["verdict"],
  { kernel }: AnswerSource,
): Promise<void> {
  if (question.kind === "gate") {
    if (question.content === undefined)
      throw unanswerable(
        "The log does not have the artifacts of this gate, so nobody can see what they would approve",
        "Let the agent ask again.",
      );
    return;
  }
  if (question.kind !== "call") {
    if (verdict === "approved") return;
    throw unanswerable(
      `A ${question.kind} is ended with a yes; until then it stands`,
      "Leave it, or fail the task.",
    );
  }
  // A no needs neither the whole call nor the policy that asked.
  if (verdict === "rejected") return;
  if (question.call === undefined)
    throw unanswerable(
      "Parts of this call were redacted, so it cannot be approved here",
      "Approve it on the host that asked, which has all of the call.",
    );
  if (question.policy !== digestOf(kernel.policy))
    throw unanswerable(
      "This question was asked under another policy",
      "Answer with the configuration of the agent's host as it was then, or let the agent ask again, which gives a new id.",
    );
}

/**
 * Records an answer to what was shown, and to nothing that was asked since. Throws BYLAW_APPROVAL_UNFIT, BYLAW_APPROVAL_MISSING,
 * BYLAW_GATE_NOT_OPEN, BYLAW_EVENT_REFUSED, and what a run throws that records. `now`: RFC 3339, for gates that ran out of time.
 */
export async function recordAnswer(
  run: Run,
  question: Question,
  answer: Answer,
  source: AnswerSource,
  now?: () => string,
): Promise<LogEvent> {
  await checkAnswerable(question, answer.verdict, source);
  if (question.kind === "gate") return await answerGate(run, question, answer, source, now);
  if (question.kind === "call") return await answerCall(run, question, answer, question.call);
  const event = await endStop(run, question, answer);
  if (event === undefined) throw nothingOpen(question.id);
  return event;
}

async function answerGate(
  run: Run,
  question: GateQuestion,
  { verdict, by, role = "", reason }: Answer,
  { gates }: AnswerSource,
  now: (() => string) | undefined,
): Promise<LogEvent> {
  const { id, task, gate, to, artifacts, tree, opened_at } = question;
  if (gates === undefined) throw nothingOpen(id);
  const through = gates.run(run);
  await gates.plugin.escalateGates(through, gates.contract, omitUndefined({ now }));
  const open = gates.plugin
    .openGates(gates.view(run.view), gates.contract, { task })
    .find((one) => one.gate === gate);
  if (
    open === undefined ||
    open.artifacts !== artifacts ||
    open.tree !== tree ||
    open.to !== to ||
    open.opened_at !== opened_at
  )
    throw nothingOpen(id);
  return await gates.plugin.decideGate(through, {
    task,
    gate,
    by,
    role,
    verdict,
    to,
    artifacts,
    tree,
    ...omitUndefined({ reason }),
  });
}

async function answerCall(
  run: Run,
  { id, sequence }: CallQuestion,
  { verdict, by, reason = "", expires_at, documents = [] }: Answer,
  call: CallQuestion["call"],
): Promise<LogEvent> {
  const recorded =
    verdict === "rejected"
      ? await run.refuse({ asked: sequence, by, reason }, { documents })
      : await run.approve(
          { subject: call as NonNullable<typeof call>, by, expires_at },
          { documents },
        );
  const [event] = recorded;
  if (event === undefined) throw nothingOpen(id);
  return event;
}

/** The roles that may let a check of a gate pass: its approvers, and a person where it asks nobody. */
export function waiversOf({ contract }: ProjectGates, gate: string): readonly string[] {
  const approvers = new Set(
    contract.gates.filter(({ id }) => id === gate).flatMap((one) => one.approvers),
  );
  return approvers.size === 0 ? ["human"] : [...approvers];
}

/** Somebody who may not say it: no operator, the wrong name or role, or the agent itself. */
export const unauthorized = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNAUTHORIZED", message, fix });

/** Nothing waits under that id. */
export const nothingOpen = (id: string): BylawError =>
  new BylawError({
    code: "BYLAW_APPROVAL_MISSING",
    message: `No open question has the id \`${id}\``,
    fix: "It may have been answered or asked again. List what is open.",
  });

/** A question that such an answer would not answer. */
export const unanswerable = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNFIT", message, fix });
