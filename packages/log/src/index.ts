export { RUN_EVENTS, currentPhases } from "./approval.ts";
export { createMemoryStore } from "./memory-store.ts";
export { openRun } from "./run.ts";
export type { ApprovalRequest, OpenOptions, Outcome, Run, ToolResult } from "./run-contract.ts";
