export {
  guardAgent,
  type AgentGuard,
  type GuardOptions,
  type HookAnswer,
  type HookEvent,
  type PermissionAnswer,
  type Question,
} from "./guard-agent.ts";
