export { calledAgents, openCalls, type Called, type OpenCall } from "./called.ts";
export { EVENT_TYPES, trigger } from "./trigger.ts";
