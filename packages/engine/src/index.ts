export { engineStatus, type EngineStatus } from "./engine-status.ts";
export { serveEngine, type EngineOptions } from "./serve-engine.ts";
export { answerInThread, type LoadAnswers } from "./answer-in-thread.ts";
export type { HookRequest } from "./hook-request.ts";
export type { ConfigurationStatus } from "./configuration.ts";
