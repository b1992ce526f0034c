import { ApprovalPending, ApprovalRefused, TransitionBlocked } from "./errors.ts";
import type { Approval, JsonObject, PendingAnswer, TransitionAnswer } from "./types.ts";

// The code that plugin-gates uses for a gate that waits for approvals or reviewers.
const WAITING = /^gate_pending$/;

export function transitionBlocked(
  target: string,
  { blockers, blocked_by, test_run, decision }: TransitionAnswer,
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
    blocked_by,
    test_run,
  });
}

export function approvalPending(tool: string, { approval_id }: PendingAnswer): ApprovalPending {
  const message = `A person must approve this call of \`${tool}\``;
  const fix = "Wait for the approval, then make the same call again";
  return new ApprovalPending({ code: "approval_pending", message, fix, status: 202, approval_id });
}

export function approvalRefused({ id, state }: Approval): ApprovalRefused {
  const code = state === "open" ? "approval_expired" : `approval_${state}`;
  const message =
    state === "open"
      ? `Nobody answered approval \`${id}\` in time`
      : `Approval \`${id}\` was not given: it is ${state}`;
  return new ApprovalRefused({ code, message });
}
