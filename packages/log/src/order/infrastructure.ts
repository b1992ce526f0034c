import { agentOf, type Happening } from "./event-parts.ts";
import { impossible, type Step } from "./rules.ts";
import { byTheDispatched } from "./task.ts";

/** What the rules remember of the infrastructure. */
export interface InfrastructureState {
  readonly blocked: boolean;
  /** The health auditor at work. */
  readonly auditor: string | null;
  /** A health audit passed since the last trouble. */
  readonly healthy: boolean;
}

/** Nothing is blocked yet. */
export const SOUND: InfrastructureState = { blocked: false, auditor: null, healthy: false };

/** The events that put an agent on a task, which must wait while the infrastructure is blocked. */
export const DISPATCHES: ReadonlySet<string> = new Set(["developer_dispatched", "critic_dispatched", "auditor_dispatched"]);

/** What each event makes of the infrastructure. Pure. */
export const INFRASTRUCTURE_STEPS: Readonly<Record<string, (state: InfrastructureState, event: Happening) => Step<InfrastructureState>>> = {
  infrastructure_blocked: (state) => ({ next: { ...state, blocked: true, healthy: false } }),
  remediation_dispatched: (state) => ({ next: { ...state, healthy: false } }),
  health_audit_dispatched: (state, event) => ({ next: { ...state, auditor: agentOf(event) ?? null, healthy: false } }),
  health_audit_pass: (state, event) =>
    byTheDispatched(event, state.auditor) ?? { next: { ...state, auditor: null, healthy: state.blocked } },
  health_audit_fail: (state, event) => byTheDispatched(event, state.auditor) ?? { next: { ...state, auditor: null, healthy: false } },
  health_audit_unexpected: (state) => ({ next: { ...state, healthy: false } }),
  infrastructure_restored(state) {
    if (state.blocked && state.healthy) return { next: SOUND };
    const what = state.blocked ? "without a health_audit_pass since the last trouble" : "while nothing was blocked";
    return impossible(
      "RESTORED_WITHOUT_HEALTH_PASS",
      `Unexpected infrastructure_restored ${what}, expected a health_audit_pass of a blocked infrastructure before it`,
    );
  },
};
