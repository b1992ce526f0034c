import { BylawError } from "@bylaw/kernel";
import type { Recordable, Run } from "@bylaw/log";
import type { WorkflowState } from "./standing.ts";
import { workflowState } from "./state.ts";

/**
 * Lets a workflow go on that is held, as a person says: what failed or was interrupted is tried again, what was asked for in vain is left.
 * Does nothing where it is not held. Throws BYLAW_WORKFLOW_BY_ITSELF for an agent at work in the step.
 */
export async function releaseWorkflow(run: Run, { by }: { readonly by: string }): Promise<boolean> {
  const state = run.view(workflowState);
  const { hold } = state;
  if (hold === null) return false;
  refuseOwn(state, by);
  const drafts: Recordable[] = [];
  if (hold.why === "risk" || hold.why === "oversight")
    drafts.push({ event_type: "oversight_acknowledged", agent_id: null, task_id: null, details: { by, reason: hold.message } });
  drafts.push({ event_type: "workflow_released", agent_id: null, task_id: null, details: { by, step: hold.step } });
  await run.record(drafts);
  return true;
}

/**
 * Goes on from another step, as a person says. Steps in between that succeeded run again only where they are repeatable. Throws like
 * {@link releaseWorkflow}.
 */
export async function moveWorkflow(run: Run, { by, to }: { readonly by: string; readonly to: number }): Promise<void> {
  refuseOwn(run.view(workflowState), by);
  await run.record([{ event_type: "workflow_moved", agent_id: null, task_id: null, details: { by, to } }]);
}

/** Throws BYLAW_WORKFLOW_BY_ITSELF for an agent at work in a step that is under way: whose work it is does not say that it goes on. */
export function refuseOwn({ units }: WorkflowState, by: string): void {
  const agents = units.flatMap(({ frames }) => frames.map(({ agent }) => agent));
  if (agents.some((agent) => agent !== null && fold(agent) === fold(by))) throw byItself(by);
}

const byItself = (by: string): BylawError =>
  new BylawError({
    code: "BYLAW_WORKFLOW_BY_ITSELF",
    message: `Unexpected release by \`${by.slice(0, 80)}\`, which is at work in the step, expected a person`,
    fix: "let a person look, and say who with --by",
  });

const fold = (name: string): string => name.normalize("NFKC").trim().toLowerCase();
