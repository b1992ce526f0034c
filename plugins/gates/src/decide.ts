import type { Contract } from "@bylaw/contract";
import { BylawError, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { bookOf, gateBook } from "./gate-book.ts";
import { expiryOf, gateIn, openGates } from "./states.ts";

/** What an approver says. */
export interface GateDecision {
  readonly task: string;
  readonly gate: string;
  /** Who says so; the host answers for the name. */
  readonly by: string;
  /** In which of the gate's roles. */
  readonly role: string;
  readonly verdict: "approved" | "rejected";
  readonly reason?: string;
  /** What was shown, as `openGates` has it: nothing is said about anything that was asked since. Default: what is asked now. */
  readonly artifacts?: string;
  readonly tree?: string | null;
  readonly to?: string;
}

/** What a person lets pass although it does not. */
export interface CheckWaiver {
  readonly task: string;
  readonly gate: string;
  /** The check, the rule, or `tests_unchanged`. */
  readonly check: string;
  readonly by: string;
  readonly role: string;
  /** At least 50 characters, in words of its own. */
  readonly reason: string;
  /** RFC 3339. */
  readonly expires_at: string;
}

/**
 * Records what an approver says about the artifacts that the gate was opened for, and about no other. Throws BYLAW_GATE_NOT_OPEN, and
 * BYLAW_EVENT_REFUSED for a role that may not, for work of one's own, and for a second vote of one person.
 */
export async function decideGate(run: Run, { task, gate, by, role, verdict, reason, ...shown }: GateDecision): Promise<LogEvent> {
  const { openings, phase } = bookOf(run.view(gateBook), task);
  const opening = openings.find((one) => one.gate === gate && one.state === "open");
  if (opening === undefined || phase === null)
    throw new BylawError({
      code: "BYLAW_GATE_NOT_OPEN",
      message: `Unexpected decision about gate ${quote(gate)} of task ${quote(task)}, expected a gate that waits for approvers`,
      fix: "let the agent ask for the transition with its artifacts; the gate opens when every blocking check passes",
    });
  const { policy } = opening;
  const { artifacts = opening.artifacts, tree = opening.tree, to = opening.to } = shown;
  return recorded(run, "gate_decided", task, { gate, phase, by, role, verdict, reason: reason ?? null, to, artifacts, tree, policy });
}

/** Records that a check does not have to pass, until then. Throws BYLAW_EVENT_REFUSED where that is not this person's to say. */
export function waiveCheck(run: Run, { task, gate, check, by, role, reason, expires_at }: CheckWaiver): Promise<LogEvent> {
  const phase = bookOf(run.view(gateBook), task).phase ?? "";
  return recorded(run, "check_waived", task, { gate, phase: phase === "" ? "none" : phase, check, by, role, reason, expires_at });
}

/**
 * Does what `recovery.gate_timeout` says to every open gate that ran out of time: a person is called (`gate_escalated`) or the gate is
 * closed (`gate_closed`), each once. Neither is anybody's no. `now`: RFC 3339, default the system's clock.
 */
export async function escalateGates(
  run: Run,
  contract: Contract,
  { now = () => new Date().toISOString() }: { readonly now?: () => string } = {},
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
      // Another process was quicker, or an approver was.
      if (!(error instanceof BylawError) || error.code !== "BYLAW_EVENT_REFUSED") throw error;
    }
  }
  return events;
}

async function recorded(run: Run, event_type: string, task_id: string, details: JsonObject): Promise<LogEvent> {
  const [event] = await run.record([{ event_type, agent_id: null, task_id, details }]);
  if (event === undefined) throw new Error("Unexpected silence of the log, expected the event that was recorded");
  return event;
}
