import { basename, dirname, extname, join } from "node:path";
import type { BehaviorAction } from "@bylaw/behavior";
import { omitUndefined } from "@bylaw/kernel";
import {
  readControl,
  removeControl,
  setControlAside,
  type FoundControl,
} from "../step/control-file.ts";
import type { Step } from "../template/template.ts";
import type { WorkflowOptions } from "./options.ts";
import { progressOf } from "./progress.ts";
import { draft, record, unrecorded } from "./record.ts";
import { isDuplicateRequest, duplicateRequestText, wantsOversight } from "./duplicate-request.ts";
import type { ActiveAgent, ActiveStep } from "./state/types.ts";
import { workflowState } from "./state/projection.ts";

/** The control file of a step. Steps that run at once have a file each. */
export function controlFileOf(
  { controlFile }: WorkflowOptions,
  { id, parallel }: Pick<Step, "id" | "parallel">,
): string {
  if (parallel === null) return controlFile;
  const ending = extname(controlFile);
  return join(dirname(controlFile), `${basename(controlFile, ending)}.${id}${ending}`);
}

/**
 * Takes away what lies there before a step begins: it was not written in it. What an attempt before
 * it wrote may be on record already.
 */
export async function clearControl(options: WorkflowOptions, step: Step): Promise<void> {
  const file = controlFileOf(options, step);
  const found = readControl(file);
  if (found.state === "none") return;
  const activeAgent = topOf(options, step)?.activeAgent;
  if (
    found.state === "read" &&
    activeAgent !== undefined &&
    isOnRecord(options, step, activeAgent, found.action)
  )
    return removeControl(file, found.digest);
  await record(options, [
    draft("control_file_set_aside", null, { step: step.id, why: "stale", digest: found.digest }),
  ]);
  return setControlAside(file);
}

/**
 * Takes a request from the control file of a step, once: puts it on record, and then takes the file
 * away. `meanwhile` the step is at work, and what is not whole yet, or may change until the end, is
 * left. Throws what the run throws.
 */
export async function takeRequest(
  options: WorkflowOptions,
  step: Step,
  when: "meanwhile" | "end",
): Promise<void> {
  const { compat } = options.template;
  const file = controlFileOf(options, step);
  const found = readControl(file);
  const top = topOf(options, step);
  if (top === undefined) return undefined;
  const { activeStep, activeAgent } = top;
  // The older systems looked when a step had ended, so that the last that it wrote counted.
  if (
    when === "meanwhile" &&
    (compat !== null || found.state !== "read" || waits(step, found.action))
  )
    return undefined;
  if (found.state !== "read" || isForeign(options, step, found.action)) {
    // Who wrote nothing that can be read wants to go on, there.
    if (found.state === "broken" && compat !== "codemachine") {
      const held = activeStep.released.includes("control_file");
      return hold(
        options,
        { step, activeAgent },
        held ? undefined : { why: "control_file", message: found.message },
      );
    }
    if (found.state !== "none") await setAside(options, step, found, activeAgent);
    return compat === "codemachine" && when === "end" && activeAgent.asked === "nothing"
      ? behave(options, step, activeAgent, CONTINUE)
      : undefined;
  }
  const { action, digest } = found;
  const second = isDuplicateRequest(activeAgent, action.action);
  // The first may be another's, who wrote where this agent does: a person looks whether the second
  // is to be left.
  if (second && compat !== "codemachine" && wantsOversight(activeAgent, action.action)) {
    const said = action.reason === null ? "" : `: ${action.reason}`;
    return hold(
      options,
      { step, activeAgent },
      {
        why: "second",
        message: `${duplicateRequestText(activeAgent, action.action)}${said}`.slice(0, 1_000),
      },
    );
  }
  if (isOnRecord(options, step, activeAgent, action)) return removeControl(file, digest);
  if (second) return setAside(options, step, found, activeAgent, "second");
  const ignored = compat !== null && action.action === "trigger" && step.trigger === null;
  await behave(options, step, activeAgent, ignored ? CONTINUE : action, digest);
  return removeControl(file, digest);
}

// What a step came to is known at its end, and so is whether a loop got anywhere.
const waits = ({ loop }: Step, { action }: BehaviorAction): boolean =>
  action === "continue" || (action === "loop" && loop !== null && loop.stall !== null);

type Wanted = Pick<BehaviorAction, "action" | "reason" | "triggerAgentId">;

const CONTINUE: Wanted = { action: "continue", reason: null, triggerAgentId: null };

async function behave(
  options: WorkflowOptions,
  step: Step,
  { agent }: ActiveAgent,
  wanted: Wanted,
  control?: string,
): Promise<void> {
  const { run, definition, template } = options;
  const { action, reason, triggerAgentId } = wanted;
  const progress =
    action === "loop" ? progressOf(template, run.view(workflowState), step, reason) : undefined;
  const outcome = await run.behave({
    action,
    step: step.id,
    ...omitUndefined({
      agent: agent ?? undefined,
      reason: reason ?? undefined,
      trigger_agent_id: triggerAgentId ?? undefined,
    }),
    host: { definition, ...omitUndefined({ control, progress }) },
  });
  if (outcome.events.length === 0) throw unrecorded(outcome.decision.reason);
  options.onEvents?.(outcome.events);
}

interface Top {
  readonly activeStep: ActiveStep;
  readonly activeAgent: ActiveAgent;
}

function topOf({ run }: WorkflowOptions, { id }: Step): Top | undefined {
  const activeStep = run
    .view(workflowState)
    .units.find(({ step, settled }) => step === id && !settled);
  const activeAgent = activeStep?.frames.at(-1);
  return activeStep === undefined || activeAgent === undefined
    ? undefined
    : { activeStep, activeAgent };
}

// Where nothing is said the file is moved away and no more: a person let it go before.
async function hold(
  options: WorkflowOptions,
  { step, activeAgent }: { readonly step: Step; readonly activeAgent: ActiveAgent },
  said?: { readonly why: "control_file" | "second"; readonly message: string },
): Promise<void> {
  if (said !== undefined)
    await record(options, [draft("workflow_held", activeAgent.agent, { step: step.id, ...said })]);
  setControlAside(controlFileOf(options, step));
}

async function setAside(
  options: WorkflowOptions,
  step: Step,
  found: Exclude<FoundControl, { readonly state: "none" }>,
  { agent }: ActiveAgent,
  why = found.state === "read"
    ? isOtherRun(options, found.action)
      ? "other_run"
      : "other_step"
    : "broken",
): Promise<void> {
  await record(options, [
    draft("control_file_set_aside", agent, { step: step.id, why, digest: found.digest }),
  ]);
  setControlAside(controlFileOf(options, step));
}

const isOtherRun = ({ run }: WorkflowOptions, action: BehaviorAction): boolean =>
  action.run !== null && action.run !== run.run;
const isForeign = (options: WorkflowOptions, { id }: Step, action: BehaviorAction): boolean =>
  isOtherRun(options, action) || (action.step !== null && action.step !== id);

/**
 * Whether it was asked for and judged before. A pause that a person ended is none: whoever asks
 * again wants another.
 */
function isOnRecord(
  { run }: WorkflowOptions,
  { id }: Step,
  activeAgent: ActiveAgent,
  { action, reason, triggerAgentId }: BehaviorAction,
): boolean {
  if (action === "checkpoint" && run.view(workflowState).pauses.every(({ step }) => step !== id))
    return false;
  return [activeAgent.request, ...activeAgent.others].some(
    (one) => one?.action === action && one.reason === reason && one.target === triggerAgentId,
  );
}
