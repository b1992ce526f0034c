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
import type { ActiveAgent } from "./state/types.ts";
import { workflowState } from "./state/projection.ts";

/** The control file of a step. Parallel steps have one file each. */
export function controlFileOf(
  { controlFile }: WorkflowOptions,
  { id, parallel }: Pick<Step, "id" | "parallel">,
): string {
  if (parallel === null) return controlFile;
  const ending = extname(controlFile);
  return join(dirname(controlFile), `${basename(controlFile, ending)}.${id}${ending}`);
}

/** Removes an old control file before a step begins. The request of an earlier attempt may be recorded already. */
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
 * Takes a request from the control file of a step, once: records it, then removes the file. With `meanwhile`, the step
 * is at work, and a request that is incomplete or may change until the end stays. Throws what the run throws.
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
  // The older systems read the file when a step had ended, so the last request counted.
  if (
    when === "meanwhile" &&
    (compat !== null || found.state !== "read" || waits(step, found.action))
  )
    return undefined;
  if (found.state !== "read" || isForeign(options, step, found.action)) {
    // CodeMachine takes an unreadable file for `continue`.
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
  // Another agent may have written the first request to the same file, so a person decides whether
  // to ignore the second.
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

// The result of a step, and so the progress of a loop, is only known at its end.
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

function topOf({ run }: WorkflowOptions, { id }: Step) {
  const activeStep = run
    .view(workflowState)
    .units.find(({ step, settled }) => step === id && !settled);
  const activeAgent = activeStep?.frames.at(-1);
  return activeStep === undefined || activeAgent === undefined
    ? undefined
    : { activeStep, activeAgent };
}

// Without a message, only moves the file aside, because a person has released this hold before.
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
 * Whether the same request was decided before. A pause that a person has ended does not count,
 * because asking again means another pause.
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
