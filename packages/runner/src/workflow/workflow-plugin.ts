import { definePlugin, type Finding, type Guard, type LogEvent } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { WORKFLOW_EVENTS } from "./events.ts";
import { refuseSecond, SECOND } from "./second.ts";
import type { WorkflowState } from "./standing.ts";
import { workflowState } from "./state.ts";

/**
 * Puts a workflow on record: its events, the state that follows from them, and guards that keep two runners from doing one step twice.
 * Refuses a second request of a step.
 */
export const workflow = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  codes: SECOND,
  apply(kernel) {
    for (const type of WORKFLOW_EVENTS) kernel.event(type);
    kernel.projection(workflowState);
    kernel.guard("order", inOrder);
    kernel.hooks.onBehavior.tap("second", refuseSecond);
  },
});

type Told = Pick<LogEvent, "event_type" | "details">;

const inOrder: Guard = (view, { event_type, details }): Finding | undefined => {
  if (!Object.hasOwn(FAULTS, event_type)) return undefined;
  const message = FAULTS[event_type]?.(view(workflowState), { event_type, details } as Told);
  return message === undefined ? undefined : { rule: "WORKFLOW_ORDER", message };
};

type Fault = (state: WorkflowState, event: Told) => string | undefined;

/** Indexes of a template mean nothing in another. */
const follows: Fault = ({ started }, { details }) =>
  details["definition"] === undefined || details["definition"] === started?.definition
    ? undefined
    : "Unexpected step of a template that the run does not follow any more, expected one of the template that it was carried over to";

const idle: Fault = ({ started, ended, hold, pauses }) => {
  if (started === null) return "Unexpected step before its workflow, expected `workflow_started` first";
  if (ended !== null) return "Unexpected step of a workflow that has ended, expected none";
  if (hold !== null) return "Unexpected step of a workflow that waits for a person, expected none";
  return pauses.length > 0 ? "Unexpected step at a checkpoint, expected none until a person ends it" : undefined;
};

const running: Fault = ({ units }, { details }) => {
  const top = units.find(({ step }) => step === details["step"])?.frames.at(-1);
  return top?.status === "running" && top.attempt === details["attempt"]
    ? undefined
    : "Unexpected end of an attempt that is not under way, expected the last one";
};

const FAULTS: Readonly<Record<string, Fault>> = {
  workflow_started: ({ started }) => (started === null ? undefined : "Unexpected second start, expected one workflow in a run"),
  workflow_migrated: ({ started, ended }, { details }) => {
    if (started === null) return "Unexpected change of a workflow that has not begun, expected `workflow_started` first";
    if (started.definition !== details["from"]) return "Unexpected change of another template, expected the one that the workflow follows";
    return ended !== null && details["moved"] !== true ? "Unexpected change of a workflow that has ended, expected none" : undefined;
  },
  step_started: (state, event) => {
    const { units, cursor } = state;
    const { step, index, attempt } = event.details as { readonly step: string; readonly index: number; readonly attempt: number };
    const unit = units.find((one) => one.step === step);
    const before = unit?.frames[0]?.attempt ?? 0;
    const wrong = idle(state, event) ?? follows(state, event);
    if (wrong !== undefined) return wrong;
    if (unit === undefined) return index >= cursor ? undefined : "Unexpected step that lies behind, expected one from here on";
    return attempt === before + 1 && !unit.settled
      ? undefined
      : `Unexpected attempt ${attempt} of \`${step.slice(0, 80)}\`, expected ${before + 1}`;
  },
  step_completed: running,
  call_completed: running,
  step_skipped: (state, event) =>
    idle(state, event) ??
    follows(state, event) ??
    (state.units.length > 0 ? "Unexpected step that is skipped while another runs" : undefined),
  step_settled: (state, event) =>
    follows(state, event) ??
    (state.units.some(({ step, settled }) => step === event.details["step"] && !settled)
      ? undefined
      : "Unexpected end of a step that is not under way"),
  call_started: (state, event) => idle(state, event) ?? follows(state, event),
  oversight_due: (state, event) =>
    idle(state, event) ?? (state.units.length > 0 ? "Unexpected oversight between steps while one is under way, expected none" : undefined),
  workflow_released: ({ hold }, { details }) => (hold?.step === details["step"] ? undefined : "Unexpected release of what is not held"),
  // A person may have said from where it goes on in the moment that it ended.
  workflow_left: ({ ended }, { details }) =>
    details["why"] === "ended" && ended === null ? "Unexpected end of a workflow that goes on, expected `workflow_ended` first" : undefined,
  workflow_ended: (state, event) => follows(state, event) ?? (state.ended === null ? undefined : "Unexpected second end, expected one"),
};
