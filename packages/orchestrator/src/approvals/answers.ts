import { omitUndefined, type Kernel, type LogEvent, BylawError } from "@bylaw/kernel";
import { digestOf, foldName, type Run } from "@bylaw/log";
import type { DocumentWrite } from "@bylaw/store";
import type { ProjectGates } from "./gates.ts";
import { endStop } from "./stops.ts";
import type { CallQuestion, GateQuestion, Question } from "./questions.ts";

/** The person who answers. */
export interface Answerer {
  readonly by: string;
  /** The roles that this person may use. Left out if they are not restricted. */
  readonly roles?: readonly string[] | undefined;
}

/** The answer to a question. */
export interface Answer {
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  /** The role of the person, at a gate. */
  readonly role?: string | undefined;
  readonly reason?: string | undefined;
  /** RFC 3339: when a yes to a call expires. */
  readonly expires_at: string;
  /** Documents that are written with the answer, such as one that prevents a second answer. */
  readonly documents?: readonly DocumentWrite[];
}

/** What an answer needs of a project. */
export interface AnswerSource {
  readonly kernel: Pick<Kernel, "policy">;
  readonly gates: ProjectGates | undefined;
}

/**
 * Returns the roles in which a person may answer: the named one, or those of the gate that the person has, of which one must be chosen if
 * there are several. Throws BYLAW_APPROVAL_UNAUTHORIZED if the person does not have the named role, or none of the gate's.
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

/** Throws BYLAW_APPROVAL_UNAUTHORIZED for the name of an agent of the run, because agents and people share one namespace. */
export function refuseAgents(by: string, agents: ReadonlySet<string>): void {
  if (agents.has(foldName(by)))
    throw unauthorized(
      `\`${by}\` is an agent of this run, and only a person may answer`,
      "Have someone answer who does not work in this run.",
    );
}

/** Throws BYLAW_APPROVAL_UNFIT for an answer that the question does not permit. */
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
      `A ${question.kind} can only be ended with a yes`,
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
 * Records an answer to the question as it was shown, not as it was asked since. `now`: RFC 3339, for gates that have timed out. Throws
 * BYLAW_APPROVAL_UNFIT, BYLAW_APPROVAL_MISSING, BYLAW_GATE_NOT_OPEN, BYLAW_EVENT_REFUSED, and what recording to the run throws.
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
  if (event === undefined) throw noOpenQuestion(question.id);
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
  if (gates === undefined) throw noOpenQuestion(id);
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
    throw noOpenQuestion(id);
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
  if (event === undefined) throw noOpenQuestion(id);
  return event;
}

/** The roles that may waive a check of a gate: its approvers, or a person if it has none. */
export function waiversOf({ contract }: ProjectGates, gate: string): readonly string[] {
  const approvers = new Set(
    contract.gates.filter(({ id }) => id === gate).flatMap((one) => one.approvers),
  );
  return approvers.size === 0 ? ["human"] : [...approvers];
}

/** The error for a person who may not answer: no operator, the wrong name or role, or the agent itself. */
export const unauthorized = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNAUTHORIZED", message, fix });

/** The error for an id without an open question. `state`: that of the question, if it is known. */
export const noOpenQuestion = (id: string, state?: string): BylawError =>
  new BylawError({
    code: "BYLAW_APPROVAL_MISSING",
    ...(state === "expired"
      ? {
          message: `The question \`${id}\` has expired: nobody answered while the agent waited`,
          fix: "If the agent asks again, answer the new question.",
        }
      : {
          message: `No open question has the id \`${id}\``,
          fix: "It may have been answered or asked again. List what is open.",
        }),
  });

/** The error for an answer that the question does not permit. */
export const unanswerable = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNFIT", message, fix });
