import type { PersonAnswer } from "@bylaw/host";
import type { HITLRequest } from "langchain";

/** The value of an interrupt: a call that a person must approve. Resume with an {@link ApprovalResume}. */
export interface ApprovalInterrupt extends Partial<HITLRequest> {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly reason: string;
  /** The id of the question for `bylaw approve`. */
  readonly question: string;
}

/** The value that resumes an interrupted agent. */
export interface ApprovalResume extends PersonAnswer {
  /** The question that the person saw. An approval of another question has no effect. */
  readonly question: string;
}

/** How a person is asked. */
export interface ApprovalForm {
  /** The name of the person who answers, if the resume value names nobody. Default: `user`. */
  readonly approver?: string;
  /**
   * Whether interrupts and answers may also have the form of LangChain's `humanInTheLoopMiddleware`. Such an answer names no question, so it
   * counts for the one that is open. Default: `false`.
   */
  readonly humanInTheLoop?: boolean;
}

/** An interrupt, with the fields of a HITLRequest if answers of that form count. */
export function interruptOf(
  asked: ApprovalInterrupt,
  { humanInTheLoop = false }: ApprovalForm,
): ApprovalInterrupt {
  if (!humanInTheLoop) return asked;
  const { tool: name, args, reason: description } = asked;
  return {
    ...asked,
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
}

/** The person's answer in a resume value. `undefined` if it does not answer this question. */
export function answerIn(
  value: unknown,
  question: string,
  { approver, humanInTheLoop = false }: ApprovalForm,
): PersonAnswer | undefined {
  const given = fieldsOf(value);
  const { by = approver } = given;
  const said = humanInTheLoop ? (decisionIn(given, question) ?? given) : given;
  const { approved, reason } = said;
  // The value may belong to another question, if the call changed meanwhile.
  if (typeof approved !== "boolean" || said["question"] !== question) return undefined;
  return {
    approved,
    by: typeof by === "string" ? by : undefined,
    ...(typeof reason === "string" ? { reason } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

// An edited call is another one, which the model has to make itself.
function decisionIn({ decisions }: Fields, question: string): Fields | undefined {
  if (!Array.isArray(decisions) || decisions.length !== 1) return undefined;
  const { type, message: reason } = fieldsOf(decisions[0]);
  if (type !== "approve" && type !== "reject") return undefined;
  return { approved: type === "approve", reason, question };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
