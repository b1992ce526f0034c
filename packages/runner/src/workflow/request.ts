import { basename, dirname, extname, join } from "node:path";
import type { BehaviorAction } from "@bylaw/behavior";
import { present } from "@bylaw/kernel";
import { readControl, removeControl, setControlAside, type FoundControl } from "../step/control-file.ts";
import type { Step } from "../template/template.ts";
import type { WorkflowOptions } from "./options.ts";
import { progressOf } from "./progress.ts";
import { draft, record, unrecorded } from "./record.ts";
import type { Frame, Unit } from "./standing.ts";
import { workflowState } from "./state.ts";

/** The control file of a step. Steps that run at once have a file each. */
export function controlFileOf({ controlFile }: WorkflowOptions, { id, parallel }: Pick<Step, "id" | "parallel">): string {
  if (parallel === null) return controlFile;
  const ending = extname(controlFile);
  return join(dirname(controlFile), `${basename(controlFile, ending)}.${id}${ending}`);
}

/** Takes away what lies there before a step begins: it was not written in it. What an attempt before it wrote may be on record already. */
export async function clearControl(options: WorkflowOptions, step: Step): Promise<void> {
  const file = controlFileOf(options, step);
  const found = readControl(file);
  if (found.state === "none") return;
  const frame = topOf(options, step)?.frame;
  if (found.state === "read" && frame !== undefined && isOnRecord(frame, found.action)) return removeControl(file, found.digest);
  await record(options, [draft("control_file_set_aside", null, { step: step.id, why: "stale", digest: found.digest })]);
  return setControlAside(file);
}

/**
 * Takes a request from the control file of a step, once: puts it on record, and then takes the file away. `meanwhile` the step is at
 * work, and what is not whole yet, or may change until the end, is left. Throws what the run throws.
 */
export async function takeRequest(options: WorkflowOptions, step: Step, when: "meanwhile" | "end"): Promise<void> {
  const { compat } = options.template;
  const file = controlFileOf(options, step);
  const found = readControl(file);
  const top = topOf(options, step);
  if (top === undefined) return undefined;
  const { unit, frame } = top;
  // The older systems looked when a step had ended, so that the last that it wrote counted.
  if (when === "meanwhile" && (compat !== null || found.state !== "read" || found.action.action === "continue")) return undefined;
  if (found.state !== "read" || isForeign(options, step, found.action)) {
    // Who wrote nothing that can be read wants to go on, there.
    if (found.state === "broken" && compat !== "codemachine") return hold(options, { step, unit, frame }, found);
    if (found.state !== "none") await setAside(options, step, found, frame);
    return compat === "codemachine" && when === "end" && frame.asked === "nothing" ? behave(options, step, frame, CONTINUE) : undefined;
  }
  const { action, digest } = found;
  if (isOnRecord(frame, action)) return removeControl(file, digest);
  // Only to stop or to pause is heard after something else: a person is asked rather than not.
  if (frame.asked === "granted" && action.action !== "stop" && action.action !== "checkpoint")
    return setAside(options, step, found, frame, "second");
  const ignored = compat !== null && action.action === "trigger" && step.trigger === null;
  await behave(options, step, frame, ignored ? CONTINUE : action, digest);
  return removeControl(file, digest);
}

type Wanted = Pick<BehaviorAction, "action" | "reason" | "triggerAgentId">;

const CONTINUE: Wanted = { action: "continue", reason: null, triggerAgentId: null };

async function behave(options: WorkflowOptions, step: Step, { agent }: Frame, wanted: Wanted, control?: string): Promise<void> {
  const { run, definition, template } = options;
  const { action, reason, triggerAgentId } = wanted;
  const progress = action === "loop" ? progressOf(template, run.view(workflowState), step, reason) : undefined;
  const outcome = await run.behave({
    action,
    step: step.id,
    ...present({ agent: agent ?? undefined, reason: reason ?? undefined, trigger_agent_id: triggerAgentId ?? undefined }),
    host: { definition, ...present({ control, progress }) },
  });
  if (outcome.events.length === 0) throw unrecorded(outcome.decision.reason);
  options.onEvents?.(outcome.events);
}

interface Top {
  readonly unit: Unit;
  readonly frame: Frame;
}

function topOf({ run }: WorkflowOptions, { id }: Step): Top | undefined {
  const unit = run.view(workflowState).units.find(({ step, settled }) => step === id && !settled);
  const frame = unit?.frames.at(-1);
  return unit === undefined || frame === undefined ? undefined : { unit, frame };
}

async function hold(
  options: WorkflowOptions,
  { step, unit, frame }: Top & { readonly step: Step },
  { message }: Extract<FoundControl, { readonly state: "broken" }>,
): Promise<void> {
  if (!unit.released.includes("control_file"))
    await record(options, [draft("workflow_held", frame.agent, { step: step.id, why: "control_file", message })]);
  setControlAside(controlFileOf(options, step));
}

async function setAside(
  options: WorkflowOptions,
  step: Step,
  found: Exclude<FoundControl, { readonly state: "none" }>,
  { agent }: Frame,
  why = found.state === "read" ? (isOtherRun(options, found.action) ? "other_run" : "other_step") : "broken",
): Promise<void> {
  await record(options, [draft("control_file_set_aside", agent, { step: step.id, why, digest: found.digest })]);
  setControlAside(controlFileOf(options, step));
}

const isOtherRun = ({ run }: WorkflowOptions, action: BehaviorAction): boolean => action.run !== null && action.run !== run.run;
const isForeign = (options: WorkflowOptions, { id }: Step, action: BehaviorAction): boolean =>
  isOtherRun(options, action) || (action.step !== null && action.step !== id);

const isOnRecord = ({ request, others }: Frame, { action, reason, triggerAgentId }: BehaviorAction): boolean =>
  [request, ...others].some((one) => one?.action === action && one.reason === reason && one.target === triggerAgentId);
