export { transitionNeedsTests } from "./asks-for-tests.ts";
export { blockersOf, type Blocker } from "./blockers.ts";
export { gates } from "./gates.ts";
export { EVENT_TYPES } from "./events.ts";
export type { GateVote, Waiver } from "./gate-state.ts";
export {
  decideGate,
  escalateGates,
  waiveCheck,
  type CheckWaiver,
  type GateDecision,
} from "./decide.ts";
export {
  retryableRequest,
  gateStates,
  openGates,
  type RetryableRequest,
  type GateReport,
  type GateStatus,
  type OpenGate,
} from "./gate-status.ts";
