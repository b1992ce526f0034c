export {
  httpOversight,
  requestOversight,
  proseOversight,
  type OverseeOptions,
  type Oversight,
  type OversightRequest,
  type OversightRule,
  type OversightService,
} from "./request-oversight.ts";
export {
  oversight,
  oversightStatus,
  type OversightState,
  type OversightStatus,
} from "./oversight-state.ts";
export { type OversightVerdict } from "./verdict.ts";
export { vibecheck } from "./vibecheck.ts";
export { OVERSIGHT_EVENTS as EVENT_TYPES } from "./verdict.ts";
