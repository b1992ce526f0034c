export { agentEnrolment } from "./auth/enrolment.ts";
export { resolveSettings, type Origin, type Resolved } from "./config/resolve.ts";
export type { Settings, SettingsInput } from "./config/settings.ts";
export { shownConfig, type ShownConfig, type ShownSetting } from "./config/shown.ts";
export { createLog } from "./observe/log.ts";
export { createOrchestrator, type Orchestrator, type OrchestratorOptions } from "./orchestrator.ts";
export type { Log, Service } from "./service/service.ts";
