import { resolve } from "node:path";
import type { Run } from "@bylaw/log";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { workflowState } from "@bylaw/runner";
import { answererOf } from "../approve/authority.ts";

/**
 * Checks that a process may join a run. While a workflow runs, its agents have keys, and anybody else needs an operator's token.
 * Throws BYLAW_APPROVAL_UNAUTHORIZED.
 */
export function checkJoin(
  run: Pick<Run, "view">,
  config: string | undefined,
  token: string | undefined,
): void {
  const { started, ended } = run.view(workflowState);
  if (started === null || ended !== null) return;
  if (token === undefined || token === "")
    throw unauthorized(
      "A workflow is running in this run, so only its own steps may join",
      "Use the tools of the run in a step, or set an operator's token in BYLAW_OPERATOR_TOKEN",
    );
  answererOf(config ?? resolve("bylaw.config"), undefined, token);
}
