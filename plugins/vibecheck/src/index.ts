export {
  httpOversight,
  oversee,
  proseOversight,
  type OverseeOptions,
  type Oversight,
  type OversightRequest,
  type OversightRule,
  type OversightService,
} from "./oversee.ts";
export { oversight, standingOf, type Oversights, type Standing } from "./oversight-state.ts";
export { type OversightVerdict } from "./verdict.ts";
export { vibecheck } from "./vibecheck.ts";
export { OVERSIGHT_EVENTS as EVENT_TYPES } from "./verdict.ts";
