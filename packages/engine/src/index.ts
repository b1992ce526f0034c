export { engineStatus, type EngineStatus } from "./engine-status.ts";
export { serveEngine, type EngineOptions } from "./serve-engine.ts";
export { runHookThread, type LoadHookHandler } from "./run-hook-thread.ts";
export type { HookRequest } from "./hook-request.ts";
export type { ConfigurationStatus } from "./configuration.ts";
