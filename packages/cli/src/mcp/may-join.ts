import { resolve } from "node:path";
import type { Run } from "@bylaw/log";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { workflowState } from "@bylaw/runner";
import { answererOf } from "../approve/authority.ts";

/**
 * Keeps those out of a run who have no key to it: the agents of a workflow have one, so while it runs anybody else needs an operator's
 * token. Throws BYLAW_APPROVAL_UNAUTHORIZED.
 */
export function checkJoin(run: Run, config: string | undefined, token: string | undefined): void {
  const { started, ended } = run.view(workflowState);
  if (started === null || ended !== null) return;
  if (token === undefined || token === "")
    throw unauthorized(
      "A workflow is running in this run, so only its own steps may join",
      "Start `bylaw mcp` in a step, or set an operator's token in BYLAW_OPERATOR_TOKEN",
    );
  answererOf(config ?? resolve("bylaw.config"), undefined, token);
}
