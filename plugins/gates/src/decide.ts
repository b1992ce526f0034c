import type { Contract } from "@bylaw/contract";
import { BylawError, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { gateStateOf, gateProjection } from "./gate-projection.ts";
import { expiryOf, gateIn, openGates } from "./gate-status.ts";

/** An approver's decision. */
export interface GateDecision {
  readonly task: string;
  readonly gate: string;
  /** The approver. The host vouches for the name. */
  readonly by: string;
  /** The approver's role at the gate. */
  readonly role: string;
  readonly verdict: "approved" | "rejected";
  readonly reason?: string;
  /**
   * The request that the approver saw, from `openGates`. The decision does not apply to a later
   * one. Default: the current request.
   */
  readonly artifacts?: string;
  readonly tree?: string | null;
  readonly to?: string;
}

/** A check that a person waives although it fails. */
export interface CheckWaiver {
  readonly task: string;
  readonly gate: string;
  /** The name of the check or rule, or `tests_unchanged`. */
  readonly check: string;
  readonly by: string;
  readonly role: string;
  /** At least 50 characters, and no stock phrase. */
  readonly reason: string;
  /** RFC 3339. */
  readonly expires_at: string;
}

/**
 * Records an approver's decision about exactly the artifacts that the gate was opened for. Throws
 * BYLAW_GATE_NOT_OPEN, and BYLAW_EVENT_REFUSED for a role that cannot approve, for one's own work
 * and for a second vote by one person.
 */
export async function decideGate(
  run: Run,
  { task, gate, by, role, verdict, reason, ...shown }: GateDecision,
): Promise<LogEvent> {
  const { openings, phase } = gateStateOf(run.view(gateProjection), task);
  const approvalRequest = openings.find((one) => one.gate === gate && one.state === "open");
  if (approvalRequest === undefined || phase === null)
    throw new BylawError({
      code: "BYLAW_GATE_NOT_OPEN",
      message: `The gate ${quote(gate)} of task ${quote(task)} is not waiting for approvers`,
      fix: "Let the agent request the transition with its artifacts. The gate opens when every blocking check passes",
    });
  const { policy } = approvalRequest;
  const {
    artifacts = approvalRequest.artifacts,
    tree = approvalRequest.tree,
    to = approvalRequest.to,
  } = shown;
  return recorded(run, "gate_decided", task, {
    gate,
    phase,
    by,
    role,
    verdict,
    reason: reason ?? null,
    to,
    artifacts,
    tree,
    policy,
  });
}

/**
 * Waives a check until the waiver expires. Throws BYLAW_EVENT_REFUSED for a role that cannot waive
 * it.
 */
export function waiveCheck(
  run: Run,
  { task, gate, check, by, role, reason, expires_at }: CheckWaiver,
): Promise<LogEvent> {
  const phase = gateStateOf(run.view(gateProjection), task).phase ?? "";
  return recorded(run, "check_waived", task, {
    gate,
    phase: phase === "" ? "none" : phase,
    check,
    by,
    role,
    reason,
    expires_at,
  });
}

/**
 * Applies `recovery.gate_timeout` to every open gate that timed out: escalates it to a person
 * (`gate_escalated`) or closes it (`gate_closed`), once each. Neither counts as a rejection. `now`:
 * RFC 3339, default the run's clock.
 */
export async function escalateGates(
  run: Run,
  contract: Contract,
  { now = () => run.now() }: { readonly now?: () => string } = {},
): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  const time = Date.parse(now());
  for (const { task, gate: id, phase, opened_at, escalated } of openGates(run.view, contract)) {
    const gate = gateIn(contract, id, phase);
    if (gate === undefined || escalated || time < expiryOf(gate, { opened_at })) continue;
    const details = { gate: id, phase, opened_at };
    const closes = contract.recovery.gateTimeout.action === "reject";
    try {
      events.push(
        closes
          ? await recorded(run, "gate_closed", task, { ...details, reason: "timed_out" })
          : await recorded(run, "gate_escalated", task, details),
      );
    } catch (error) {
      // Another process or an approver was faster.
      if (!(error instanceof BylawError) || error.code !== "BYLAW_EVENT_REFUSED") throw error;
    }
  }
  return events;
}

async function recorded(
  run: Run,
  event_type: string,
  task_id: string,
  details: JsonObject,
): Promise<LogEvent> {
  const [event] = await run.record([{ event_type, agent_id: null, task_id, details }]);
  if (event === undefined) throw new Error("The log did not return the recorded event");
  return event;
}
