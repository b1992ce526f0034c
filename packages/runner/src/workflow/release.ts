import { BylawError } from "@bylaw/kernel";
import type { RecordableEvent, Run } from "@bylaw/log";
import { draft } from "./record.ts";
import type { ActiveAgent, WorkflowState } from "./state/types.ts";
import { workflowState } from "./state/projection.ts";

/**
 * Continues a held workflow on behalf of a person: failed or interrupted work is tried again, and
 * requests that failed are dropped. Does nothing if the workflow is not held. Throws
 * BYLAW_WORKFLOW_BY_ITSELF for an agent at work in the step.
 */
export async function releaseWorkflow(run: Run, { by }: { readonly by: string }): Promise<boolean> {
  const state = run.view(workflowState);
  const { hold } = state;
  if (hold === null) return false;
  refuseOwn(state, by);
  const drafts: RecordableEvent[] = [];
  if (hold.why === "risk" || hold.why === "oversight")
    drafts.push(draft("oversight_acknowledged", null, { by, reason: hold.message }));
  drafts.push(draft("workflow_released", null, { by, step: hold.step }));
  await run.record(drafts);
  return true;
}

/**
 * Continues from another step on behalf of a person. Successful steps in between run again only if
 * they are repeatable. Throws like {@link releaseWorkflow}.
 */
export async function moveWorkflow(
  run: Run,
  { by, to }: { readonly by: string; readonly to: number },
): Promise<void> {
  const state = run.view(workflowState);
  refuseOwn(state, by);
  await run.record([...returnsOf(state), draft("workflow_moved", null, { by, to })]);
}

/** Ends the calls of agents that are left behind, the last first, so that others may call these agents again. */
export const returnsOf = ({ units }: WorkflowState): readonly RecordableEvent[] =>
  units
    .filter(({ settled }) => !settled)
    .flatMap(({ frames }) => [
      ...uncalled(frames),
      ...frames
        .slice(1)
        .flatMap(({ agent }) => (agent === null ? [] : [inVain(agent)]))
        .toReversed(),
    ]);

/** The agents that were granted to a step, but not called. */
export function uncalled(frames: readonly ActiveAgent[]): readonly RecordableEvent[] {
  const due = frames.at(-1)?.due ?? null;
  return due === null ? [] : [inVain(due)];
}

const inVain = (agent: string): RecordableEvent =>
  draft("agent_returned", agent, { agent, ok: false });

/**
 * Throws BYLAW_WORKFLOW_BY_ITSELF for an agent at work in a running step, because an agent must not
 * release its own work.
 */
export function refuseOwn({ units }: WorkflowState, by: string): void {
  const agents = units.flatMap(({ frames }) => frames.map(({ agent }) => agent));
  if (agents.some((agent) => agent !== null && fold(agent) === fold(by))) throw byItself(by);
}

const byItself = (by: string): BylawError =>
  new BylawError({
    code: "BYLAW_WORKFLOW_BY_ITSELF",
    message: `\`${by.slice(0, 80)}\` is at work in the step and cannot release it`,
    fix: "Let a person look, and name them with --by",
  });

const fold = (name: string): string => name.normalize("NFKC").trim().toLowerCase();
