export { agentEnrolment } from "./auth/enrolment.ts";
export { createOrchestrator, type Orchestrator, type OrchestratorOptions } from "./orchestrator.ts";
