export { DROP_REASONS as DROPPED } from "./host-events.ts";
export { REASONS, REASONS_VERSION, type Reason, type ReasonCode } from "./reason-codes.ts";
export { reasons } from "./reasons.ts";
export { retryInput, type RetryInput } from "./retry.ts";
export { HOST_EVENTS as EVENT_TYPES } from "./host-events.ts";
