export { calledAgents, type Called } from "./called.ts";
export { trigger } from "./trigger.ts";
