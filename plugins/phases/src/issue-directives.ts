import type { Contract } from "@bylaw/contract";
import { BylawError, omitUndefined, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { treeEntries, type Run } from "@bylaw/log";
import type { DirectiveReport } from "./directive-events.ts";
import { directiveState, directivesOfTask, type TaskDirectives } from "./directive-state.ts";
import { directivesFor } from "./directives.ts";

type Drafts = Parameters<Run["record"]>[0];

/**
 * Issues the directives that the contract calls for after the last transition of each task, or of
 * one task. Call it after each transition and, without a task, when a run opens. Repeated or
 * concurrent calls issue nothing twice. Returns the recorded events. Throws what recording throws.
 */
export async function issueDirectives(
  run: Run,
  contract: Contract,
  { task }: { readonly task?: string } = {},
): Promise<readonly LogEvent[]> {
  const one = task === undefined ? undefined : directivesOfTask(run.view, task);
  const tasks: Iterable<readonly [string, TaskDirectives]> =
    task === undefined
      ? treeEntries(run.view(directiveState).tasks)
      : one === undefined
        ? []
        : [[task, one]];
  const recorded: LogEvent[] = [];
  for (const [id, entry] of tasks) {
    const drafts = directivesDue(contract, entry).map((details) => ({
      event_type: "directive_issued",
      agent_id: null,
      task_id: id,
      details: details as unknown as JsonObject,
    }));
    if (drafts.length > 0) recorded.push(...(await recordDue(run, drafts)));
  }
  return recorded;
}

/** The directives of an entry that are not issued yet. */
export const directivesDue = (
  contract: Contract,
  entry: TaskDirectives,
): ReturnType<typeof directivesFor> =>
  directivesFor(contract, entry).filter(({ directive }) => !entry.issued.includes(directive));

// If a guard refuses a directive, another process has issued it or the task has moved on.
async function recordDue(run: Run, drafts: Drafts): Promise<readonly LogEvent[]> {
  try {
    return await run.record(drafts);
  } catch (error) {
    if (!(error instanceof BylawError) || error.code !== "BYLAW_EVENT_REFUSED") throw error;
    if (drafts.length === 1) return [];
    const events = [];
    for (const draft of drafts) events.push(...(await recordDue(run, [draft])));
    return events;
  }
}

/** The completion of a directive. */
export interface DirectiveCompletion extends DirectiveReport {
  readonly task: string;
}

/**
 * Records that a directive was done (`ok`) or abandoned. Throws BYLAW_EVENT_REFUSED if it is not
 * open, or for a review by an agent that worked on the task or already reviewed it, and what
 * recording throws.
 */
export function completeDirective(
  run: Run,
  { task, ...report }: DirectiveCompletion,
): Promise<readonly LogEvent[]> {
  const details = omitUndefined(report as unknown as Record<string, unknown>) as JsonObject;
  return run.record([
    { event_type: "directive_completed", agent_id: report.agent ?? null, task_id: task, details },
  ]);
}
