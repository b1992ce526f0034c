import { defineProjection } from "@bylaw/kernel";
import { treeGet } from "@bylaw/log";
import type { Template } from "../../template/template.ts";
import type { Reducer } from "./changes.ts";
import { REQUEST_REDUCERS } from "./request-reducers.ts";
import { STEP_REDUCERS } from "./step-reducers.ts";
import type { StepResult, WorkflowState } from "./types.ts";
import { WORKFLOW_REDUCERS } from "./workflow-reducers.ts";

const REDUCERS: Readonly<Record<string, Reducer>> = {
  ...WORKFLOW_REDUCERS,
  ...STEP_REDUCERS,
  ...REQUEST_REDUCERS,
};

const BEGIN: WorkflowState = {
  started: null,
  cursor: 0,
  units: [],
  results: null,
  scopes: [],
  interrupt: null,
  advice: null,
  unseen: { steps: 0, last: null },
  hold: null,
  pauses: [],
  redo: 0,
  ended: null,
};

/** The state of the workflow of a run, computed from its log. */
export const workflowState = defineProjection<WorkflowState>({
  name: "@bylaw/runner/workflow",
  version: 4,
  scope: "task",
  initial: BEGIN,
  reduce: (state, event) =>
    Object.hasOwn(REDUCERS, event.event_type)
      ? (REDUCERS[event.event_type]?.(state, event) ?? state)
      : state,
});

/** The last result of a step. */
export const resultOf = ({ results }: WorkflowState, step: string): StepResult | undefined =>
  treeGet(results, step);

export const completedSteps = ({ steps }: Template, state: WorkflowState): readonly string[] =>
  state.results === null
    ? []
    : steps.flatMap(({ id }) => (resultOf(state, id)?.status === "completed" ? [id] : []));
