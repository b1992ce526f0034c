import { definePlugin, type Guard, type LogEvent } from "@bylaw/kernel";
import type { Finding } from "@bylaw/log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { WORKFLOW_EVENTS } from "./events.ts";
import { refuseDuplicateRequest, DUPLICATE_REQUEST_CODES } from "./duplicate-request.ts";
import type { WorkflowState } from "./state/types.ts";
import { workflowState } from "./state/projection.ts";

/**
 * Records workflows: declares their events, the state that follows from them, and guards that keep
 * two runners from doing a step twice. Refuses a second request of a step.
 */
export const workflow = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  codes: DUPLICATE_REQUEST_CODES,
  apply(kernel) {
    for (const type of WORKFLOW_EVENTS) kernel.event(type);
    kernel.projection(workflowState);
    kernel.guard("order", inOrder);
    kernel.hooks.onBehavior.tap("second", refuseDuplicateRequest);
  },
});

type GivenEvent = Pick<LogEvent, "event_type" | "details">;

const inOrder: Guard = (view, { event_type, details }): Finding | undefined => {
  if (!Object.hasOwn(FAULTS, event_type)) return undefined;
  const message = FAULTS[event_type]?.(view(workflowState), { event_type, details } as GivenEvent);
  return message === undefined ? undefined : { rule: "WORKFLOW_ORDER", message };
};

type Fault = (state: WorkflowState, event: GivenEvent) => string | undefined;

/** The indexes of one template have no meaning in another. */
const follows: Fault = ({ started }, { details }) =>
  details["definition"] === undefined || details["definition"] === started?.definition
    ? undefined
    : "The run no longer follows the template of this step";

const idle: Fault = ({ started, ended, hold, pauses }) => {
  if (started === null) return "A step cannot come before `workflow_started`";
  if (ended !== null) return "The workflow has ended";
  if (hold !== null) return "The workflow waits for a person";
  return pauses.length > 0 ? "The workflow is at a checkpoint until a person ends it" : undefined;
};

const running: Fault = ({ units }, { details }) => {
  const top = units.find(({ step }) => step === details["step"])?.frames.at(-1);
  return top?.status === "running" && top.attempt === details["attempt"]
    ? undefined
    : "This attempt is not running";
};

const FAULTS: Readonly<Record<string, Fault>> = {
  workflow_started: ({ started }) =>
    started === null ? undefined : "The workflow has already started",
  workflow_migrated: ({ started, ended }, { details }) => {
    if (started === null) return "The workflow has not started yet";
    if (started.definition !== details["from"])
      return "The workflow follows another template than the one to migrate from";
    return ended !== null && details["moved"] !== true ? "The workflow has ended" : undefined;
  },
  step_started: (state, event) => {
    const { units, cursor } = state;
    const { step, index, attempt } = event.details as {
      readonly step: string;
      readonly index: number;
      readonly attempt: number;
    };
    const activeStep = units.find((one) => one.step === step);
    const before = activeStep?.frames[0]?.attempt ?? 0;
    const wrong = idle(state, event) ?? follows(state, event);
    if (wrong !== undefined) return wrong;
    if (activeStep === undefined)
      return index >= cursor ? undefined : "This step comes before the current one";
    return attempt === before + 1 && !activeStep.settled
      ? undefined
      : `The next attempt of \`${step.slice(0, 80)}\` is ${before + 1}, not ${attempt}`;
  },
  step_completed: running,
  call_completed: running,
  step_skipped: (state, event) =>
    idle(state, event) ??
    follows(state, event) ??
    (state.units.length > 0 ? "A step cannot be skipped while another runs" : undefined),
  step_settled: (state, event) =>
    follows(state, event) ??
    (state.units.some(({ step, settled }) => step === event.details["step"] && !settled)
      ? undefined
      : "This step is not running"),
  call_started: (state, event) => idle(state, event) ?? follows(state, event),
  oversight_due: (state, event) =>
    idle(state, event) ??
    (state.units.length > 0 ? "Oversight between steps must wait until no step runs" : undefined),
  workflow_released: ({ hold }, { details }) =>
    hold?.step === details["step"] ? undefined : "The workflow is not held at this step",
  // A person may have moved the workflow to another step just when it ended.
  workflow_left: ({ ended }, { details }) =>
    details["why"] === "ended" && ended === null ? "The workflow has not ended yet" : undefined,
  workflow_ended: (state, event) =>
    follows(state, event) ?? (state.ended === null ? undefined : "The workflow has already ended"),
};
