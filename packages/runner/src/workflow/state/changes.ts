import type { LogEvent } from "@bylaw/kernel";
import { treePut } from "@bylaw/log";
import type { ActiveAgent, ActiveStep, StepResult, WorkflowState } from "./types.ts";

/** Applies one event to the state of a workflow. */
export type Reducer = (state: WorkflowState, event: LogEvent) => WorkflowState;

export const NEW_AGENT: ActiveAgent = {
  agent: null,
  attempt: 1,
  status: "running",
  called: false,
  due: null,
  asked: "nothing",
  directive: null,
  request: null,
  others: [],
  refusal: null,
  oversight: "none",
  risk: 0,
};

/** The active steps whose own agent is done. */
export const doneSteps = ({ units }: WorkflowState): readonly ActiveStep[] =>
  units.filter(({ frames }) => frames[0]?.status === "done");
/** The results of all steps if the active ones end now. An unfinished step counts as failed. */
export const resultsWith = ({ units, results }: WorkflowState): WorkflowState["results"] =>
  units.reduce(
    (known, activeStep) =>
      activeStep.settled ? known : treePut(known, activeStep.step, resultIn(activeStep)),
    results,
  );

/** The result of an active step that ends now. */
export function resultIn({
  frames: [{ status, attempt } = NEW_AGENT],
  exit_code,
  output,
  print,
  visit,
}: ActiveStep): StepResult {
  return {
    status: status === "done" ? "completed" : "failed",
    exit_code,
    output,
    print,
    visits: visit,
    attempts: attempt,
  };
}

/** Moves the cursor to another step. A loop ends once the cursor is after its step, even if that step was skipped. */
export const movedTo = (state: WorkflowState, cursor: number): WorkflowState => {
  const scopes = state.scopes.some(({ owner }) => owner < cursor)
    ? state.scopes.filter(({ owner }) => owner >= cursor)
    : state.scopes;
  return { ...state, cursor, scopes, redo: cursor >= state.redo ? 0 : state.redo };
};

export function withActiveStep(
  state: WorkflowState,
  step: string,
  change: (activeStep: ActiveStep) => ActiveStep,
): WorkflowState {
  return {
    ...state,
    units: state.units.map((activeStep) =>
      activeStep.step === step ? change(activeStep) : activeStep,
    ),
  };
}

export const withCurrentAgent = (
  activeStep: ActiveStep,
  change: Partial<ActiveAgent>,
): ActiveStep => ({
  ...activeStep,
  frames: activeStep.frames.map((activeAgent, index) =>
    index === activeStep.frames.length - 1 ? { ...activeAgent, ...change } : activeAgent,
  ),
});
