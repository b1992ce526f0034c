import { agentOf, type EventContent } from "./event-content.ts";
import { impossible, type Step } from "./rules.ts";
import { notFromDispatched } from "./task.ts";

export interface InfrastructureState {
  readonly blocked: boolean;
  readonly auditor: string | null;
  /** Whether a health audit has passed since the last problem. */
  readonly healthy: boolean;
}

export const SOUND: InfrastructureState = { blocked: false, auditor: null, healthy: false };

/** The events that assign an agent to a task. They must wait while the infrastructure is blocked. */
export const DISPATCHES: ReadonlySet<string> = new Set([
  "developer_dispatched",
  "critic_dispatched",
  "auditor_dispatched",
]);

/** The state of the infrastructure after each event. Pure. */
export const INFRASTRUCTURE_STEPS: Readonly<
  Record<string, (state: InfrastructureState, event: EventContent) => Step<InfrastructureState>>
> = {
  infrastructure_blocked: (state) => ({ next: { ...state, blocked: true, healthy: false } }),
  remediation_dispatched: (state) => ({ next: { ...state, healthy: false } }),
  health_audit_dispatched: (state, event) => ({
    next: { ...state, auditor: agentOf(event) ?? null, healthy: false },
  }),
  health_audit_pass: (state, event) =>
    notFromDispatched(event, state.auditor) ?? {
      next: { ...state, auditor: null, healthy: state.blocked },
    },
  health_audit_fail: (state, event) =>
    notFromDispatched(event, state.auditor) ?? {
      next: { ...state, auditor: null, healthy: false },
    },
  health_audit_unexpected: (state) => ({ next: { ...state, healthy: false } }),
  infrastructure_restored(state) {
    if (state.blocked && state.healthy) return { next: SOUND };
    const message = state.blocked
      ? "The infrastructure was restored without a `health_audit_pass` since its last problem."
      : "The infrastructure was restored while it was not blocked.";
    return impossible("RESTORED_WITHOUT_HEALTH_PASS", message);
  },
};
