export { agentCalls, openCalls, type AgentCalls, type OpenCall } from "./agent-calls.ts";
export { EVENT_TYPES, trigger } from "./trigger.ts";
