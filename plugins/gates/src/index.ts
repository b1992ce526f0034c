export { asksForTests } from "./asks-for-tests.ts";
export { gates } from "./gates.ts";
export { GATE_EVENTS } from "./events.ts";
export type { GateVote, Waiver } from "./book.ts";
export { decideGate, escalateGates, waiveCheck, type CheckWaiver, type GateDecision } from "./decide.ts";
export {
  GATE_STATES,
  advancement,
  gateStates,
  openGates,
  type Advancement,
  type GateReport,
  type GateState,
  type OpenGate,
} from "./states.ts";
