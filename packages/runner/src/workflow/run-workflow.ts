import { BylawError } from "@bylaw/kernel";
import type { RecordableEvent, Run } from "@bylaw/log";
import type { DocumentWrite } from "@bylaw/store";
import { killByEnvironment } from "@bylaw/process";
import { makeControlFolder } from "../step/control-file.ts";
import { call, start } from "./attempts.ts";
import type { Step } from "../template/template.ts";
import { selectionOf } from "../template/select.ts";
import type { Template } from "../template/template.ts";
import { keepTemplate } from "./stored-template.ts";
import type { NextAction } from "./next-action.ts";
import { nextAction } from "./next.ts";
import { activeAgentKey } from "./steering.ts";
import type { WorkflowEnd, WorkflowOptions } from "./options.ts";
import { oversightQuestion, reasonOf } from "./oversight-question.ts";
import { draft, json, record, unrecorded } from "./record.ts";
import { uncalled } from "./release.ts";
import { takeRequest } from "./request.ts";
import { completedSteps, workflowState } from "./state/projection.ts";

/**
 * Runs a workflow from its recorded state until it has ended or a person must act. It may be called again after a
 * crash, in another process and on another machine. Throws BYLAW_TEMPLATE_CHANGED if the run has another template,
 * BYLAW_CONTROL_FILE_UNUSABLE, what the run throws, and the reason of an aborted signal.
 */
export async function runWorkflow(options: WorkflowOptions): Promise<WorkflowEnd> {
  const { run, template, definition, signal } = options;
  refuseOther();
  // The process that drove it before may have been killed, or a person may have moved on to another
  // step. Nothing of it may still be at work.
  if (run.view(workflowState).started !== null)
    killByEnvironment({ BYLAW_RUN: run.run, BYLAW_CONTROL: options.controlFile });
  makeControlFolder(options.controlFile);
  const read = new Set<string>();
  const before = new Set([
    ...(options.completed ?? []),
    ...completedSteps(template, run.view(workflowState)),
  ]);
  for (;;) {
    signal?.throwIfAborted();
    // Another process may migrate the run while this one drives it.
    refuseOther();
    const move = nextAction(template, run.view(workflowState), read, before);
    const end = endOf(move, options);
    if (end !== undefined) return end;
    await perform(move, options, read);
  }

  function refuseOther(): void {
    const { started } = run.view(workflowState);
    if (started !== null && started.definition !== definition)
      throw templateChanged(started.template);
  }
}

export const templateChanged = (template: string): BylawError =>
  new BylawError({
    code: "BYLAW_TEMPLATE_CHANGED",
    message: `The template \`${template}\` has changed since the run began`,
    fix: "Restore the old template, migrate the run with --migrate, or start another run",
  });

/** The end of a workflow that waits for a person or has ended. `undefined` while there is something to do. */
export function workflowEnd(template: Template, run: Pick<Run, "view">): WorkflowEnd | undefined {
  const state = run.view(workflowState);
  // A process that only waits may have another template than the one that the run was migrated to,
  // so running steps are not looked up in it.
  const rests = state.ended !== null || state.hold !== null || state.pauses.length > 0;
  return rests ? endOf(nextAction(template, state, new Set()), { run }) : undefined;
}

function endOf(
  move: NextAction,
  { run }: { readonly run: Pick<Run, "view"> },
): WorkflowEnd | undefined {
  const { hold, pauses, ended } = run.view(workflowState);
  if (move.do === "held")
    return {
      outcome: "held",
      step: hold?.step ?? null,
      why: hold?.why ?? null,
      reason: hold?.message ?? null,
    };
  if (move.do === "paused")
    return {
      outcome: "paused",
      step: pauses[0]?.step ?? null,
      why: null,
      reason: pauses[0]?.reason ?? null,
    };
  if (move.do !== "ended") return undefined;
  return {
    outcome: ended?.outcome === "stopped" ? "stopped" : "completed",
    step: null,
    why: null,
    reason: ended?.reason ?? null,
  };
}

async function perform(
  move: NextAction,
  options: WorkflowOptions,
  read: Set<string>,
): Promise<void> {
  const events = eventsOf(move, options);
  if (events.length > 0) await record(options, events);
  switch (move.do) {
    case "begin":
      return begin(options);
    case "enter":
      return move.starts.length === 0 ? undefined : start(options, move.starts);
    case "run":
      return start(options, move.starts);
    case "ask":
      await takeRequest(options, move.step, "end");
      read.add(activeAgentKey(move.activeStep));
      return undefined;
    case "oversee":
      return oversee(options, move.step, move.activeAgent.agent, reasonOf(move.activeAgent));
    case "look":
      return oversee(options, move.step, null);
    case "call":
      return call(options, move);
    default:
      return undefined;
  }
}

/** The events of a move that are known before anything is done. */
function eventsOf(move: NextAction, { definition }: WorkflowOptions): readonly RecordableEvent[] {
  switch (move.do) {
    case "end": {
      const { outcome, step, reason } = move;
      return [draft("workflow_ended", null, { outcome, step, reason, definition })];
    }
    case "hold": {
      const { step, why, message } = move;
      return [draft("workflow_held", null, { step, why, message })];
    }
    case "enter":
      return move.skips.map(({ step: { id, agent }, index, next, why }) =>
        draft("step_skipped", agent, { step: id, index, next, why, definition }),
      );
    case "due":
      return [draft("oversight_due", null, { step: move.step, why: move.why })];
    case "return": {
      const { agent, ok, activeStep } = move;
      return [...uncalled(activeStep.frames), draft("agent_returned", agent, { agent, ok })];
    }
    case "settle": {
      const { activeStep, next, loop } = move;
      const { step, frames } = activeStep;
      const to = loop === null ? null : { ...loop, skip: [...loop.skip] };
      const settled = { step, next, loop: to, definition };
      return [...uncalled(frames), draft("step_settled", frames[0]?.agent ?? null, settled)];
    }
    default:
      return [];
  }
}

async function begin(options: WorkflowOptions): Promise<void> {
  const { event, document } = beginningOf(options.run.run, { ...options, from: options.from ?? 0 });
  await record(options, [event], { documents: [document] });
}

/** What begins a workflow in a run: its event, and the document that keeps the template. */
export function beginningOf(
  run: string,
  {
    template,
    definition,
    from,
    selection = selectionOf(template, {}),
  }: Pick<WorkflowOptions, "template" | "definition" | "selection"> & { readonly from: number },
): { readonly event: RecordableEvent; readonly document: DocumentWrite } {
  const said = {
    template: template.name,
    definition,
    steps: template.steps.length,
    from,
    ...json(selection),
  };
  return {
    event: draft("workflow_started", null, said),
    document: keepTemplate(run, { template, definition }),
  };
}

async function oversee(
  options: WorkflowOptions,
  step: Step,
  agent: string | null,
  reason: string | null = null,
): Promise<void> {
  const { run } = options;
  if (options.oversee === undefined)
    return record(options, [
      draft("oversight_failed", agent, {
        by: "nobody",
        error: "The template defines no oversight",
      }),
    ]);
  const before = run.head;
  await options.oversee(oversightQuestion(options, step, agent, reason));
  await run.catchUp();
  if (run.head === before) throw unrecorded("No event of the oversight was recorded");
  return undefined;
}
