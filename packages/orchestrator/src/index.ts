export type { Log } from "./observe/log.ts";
export { agentEnrolment } from "./auth/enrolment.ts";
export { resolveSettings, type Origin, type Resolved } from "./config/resolve.ts";
export type { Settings, SettingsInput } from "./config/settings.ts";
export { shownConfig, type ShownConfig, type ShownSetting } from "./config/shown-config.ts";
export { createLog } from "./observe/log.ts";
export { createOrchestrator, type Orchestrator } from "./orchestrator.ts";
export type { OrchestratorOptions } from "./service/prepare-server.ts";
export type { Service } from "./service/service.ts";
