export { calledAgents, type Called } from "./called.ts";
export { EVENT_TYPES, trigger } from "./trigger.ts";
