export { spawnAgent } from "./spawn-agent.ts";
export type { AgentEnd, SpawnedAgent, SpawnOptions } from "./spawn-agent.ts";
