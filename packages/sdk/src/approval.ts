import { HOLD_MS } from "./claim.ts";
import { approvalRefused } from "./outcomes.ts";
import type { Session } from "./session.ts";
import type { Approval } from "./types.ts";

/** How long to wait for an answer, in milliseconds (default: one hour), and a signal that ends the wait. */
export interface WaitOptions {
  readonly wait_ms?: number;
  readonly signal?: AbortSignal | undefined;
}

const HOUR = 3_600_000;

/** Waits until a person has answered. Throws ApprovalRefused for a no, and when the time is over. */
export async function awaitApproval(
  session: Session,
  id: string,
  { wait_ms = HOUR, signal }: WaitOptions,
): Promise<Approval> {
  const until = Date.now() + wait_ms;
  for (;;) {
    const held = Math.round(Math.max(0, Math.min(until - Date.now(), HOLD_MS)));
    const asked = { signal, timeout_ms: 30_000 + held };
    const path = `/approvals/${encodeURIComponent(id)}`;
    const waited = { wait_ms: held };
    const approval = await session.get<Approval>("approval", path, asked, waited);
    if (approval.state === "approved" || approval.state === "used") return approval;
    if (approval.state !== "open" || Date.now() >= until) throw approvalRefused(approval);
  }
}
