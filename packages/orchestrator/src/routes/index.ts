import type { JsonObject } from "@bylaw/kernel";
import manifest from "../../package.json" with { type: "json" };
import { BASE } from "../http/app.ts";
import { describeRoutes } from "../http/openapi.ts";
import type { Route } from "../http/route.ts";
import { clearMark, getApproval, getApprovals, postApproval, postWaiver } from "./approvals.ts";
import { getAuditQuery, getAuditRecent, getAuditStats } from "./audit.ts";
import { postBehavior } from "./behaviors.ts";
import { claimTask } from "./claim.ts";
import {
  concludeResponse,
  getConsensus,
  nextRound,
  postAnswer,
  postVote,
  showConsensus,
} from "./consensus.ts";
import { dropAgent, openConsensusRoute, selectWinnerRoute } from "./consensus-operator.ts";
import {
  deleteConstitution,
  getConstitution,
  postConstitution,
  putConstitution,
} from "./constitution.ts";
import { listDirectives, reportDirective, takeDirective } from "./directives.ts";
import { getContract } from "./contract.ts";
import {
  getAllowing,
  getDecision,
  getDecisions,
  getExperiments,
  getMe,
  getOverview,
} from "./dashboard.ts";
import { getDocs, getDocsFile, openApiRoute } from "./docs.ts";
import { getEvents } from "./events.ts";
import { getHealth, getReady, getStatus, getMetrics } from "./server.ts";
import { postEvent } from "./record-events.ts";
import { fail, heartbeat, release } from "./hold.ts";
import { postResponse } from "./responses.ts";
import { snapshot } from "./state.ts";
import { createTasksRoute, getTask, listTasks, retryTask } from "./tasks.ts";
import { checkTool, checkTools } from "./check-tools.ts";
import { executeTools } from "./execute-tools.ts";
import { executeTool, listTools, toolResult } from "./run-tools.ts";
import { transitionTask } from "./transition.ts";

/** Every route of the API. A path that another pattern also matches must come before it. */
export const ROUTES: readonly Route[] = [
  getHealth,
  createTasksRoute,
  listTasks,
  claimTask,
  getContract,
  transitionTask,
  heartbeat,
  release,
  fail,
  getTask,
  retryTask,
  checkTool,
  checkTools,
  executeTool,
  executeTools,
  toolResult,
  listTools,
  snapshot,
  listDirectives,
  reportDirective,
  takeDirective,
  postResponse,
  getConsensus,
  openConsensusRoute,
  showConsensus,
  postAnswer,
  postVote,
  concludeResponse,
  nextRound,
  dropAgent,
  selectWinnerRoute,
  postBehavior,
  getConstitution,
  postConstitution,
  putConstitution,
  deleteConstitution,
  getApprovals,
  getApproval,
  postApproval,
  postWaiver,
  clearMark,
  getAuditQuery,
  getAuditRecent,
  getAuditStats,
  getEvents,
  postEvent,
  getMe,
  getDecisions,
  getDecision,
  getAllowing,
  getOverview,
  getExperiments,
  getStatus,
  getReady,
  getMetrics,
  openApiRoute(describeServer),
  getDocs,
  getDocsFile,
];

/** The API as OpenAPI 3.1. */
export function describeServer(): JsonObject {
  return describeRoutes(ROUTES, { base: BASE, version: manifest.version });
}
