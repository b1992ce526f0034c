import { ApprovalPending, ApprovalRefused, TransitionBlocked } from "./errors.ts";
import type { Approval, Json, JsonObject, PendingAnswer, TransitionAnswer } from "./types.ts";

/** The fields that have a value. */
export const given = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );

// What only somebody else can end: plugin gates says so of a gate that waits for approvals or reviewers.
const WAITING = /^gate_pending$/;

/** The error that a blocked transition is. */
export function blocked(
  target: string,
  { blockers, decision }: TransitionAnswer,
): TransitionBlocked {
  const votes = Array.isArray(decision["votes"])
    ? (decision["votes"] as readonly JsonObject[])
    : [];
  const against = votes.filter(
    ({ effect, severity }) => effect !== "allow" && severity !== "warning",
  );
  const pending =
    against.length > 0
      ? against.every(({ code }) => WAITING.test(String(code)))
      : WAITING.test(decision.code);
  const why = blockers.length > 0 ? blockers : [decision.reason];
  const fix = typeof decision["fix"] === "string" ? decision["fix"] : undefined;
  return new TransitionBlocked({
    code: decision.code,
    message: `Transition to \`${target}\` blocked: ${why.join("; ")}`,
    fix,
    status: 200,
    blockers: why,
    pending,
  });
}

/** The error that a call is which a person is asked about. */
export function askedFor(tool: string, body: Json): ApprovalPending {
  const { approval_id } = body as unknown as PendingAnswer;
  const message = `A person must approve this call of \`${tool}\``;
  const fix = "Wait for the approval, then make the same call again";
  return new ApprovalPending({ code: "approval_pending", message, fix, status: 202, approval_id });
}

/** The error that an approval is which was not given. */
export function refused({ id, state }: Approval): ApprovalRefused {
  const code = state === "open" ? "approval_expired" : `approval_${state}`;
  const message =
    state === "open"
      ? `Nobody answered approval \`${id}\` in time`
      : `Approval \`${id}\` was not given: it is ${state}`;
  return new ApprovalRefused({ code, message });
}
