import type { Json } from "@bylaw/kernel";
import { doneSteps, resultsWith, withActiveStep, type Reducer } from "./changes.ts";
import type { ActiveStep, WorkflowState } from "./types.ts";

const text = (value: Json | undefined): string => String(value);
const number = (value: Json | undefined): number => Number(value);

export const WORKFLOW_REDUCERS: Readonly<Record<string, Reducer>> = {
  workflow_started: (state, { details }) => ({
    ...state,
    started: {
      template: text(details["template"]),
      definition: text(details["definition"]),
      track: (details["track"] ?? null) as string | null,
      chosen: (details["chosen"] ?? []) as readonly string[],
    },
    cursor: number(details["from"]),
  }),
  workflow_moved: (state, { details }) => {
    const done = doneSteps(state);
    return {
      ...state,
      results: resultsWith(state),
      cursor: number(details["to"]),
      redo: Math.max(state.cursor, state.redo, ...done.map(({ next }) => next)),
      units: [],
      scopes: [],
      interrupt: null,
      hold: null,
      ended: null,
    };
  },
  workflow_migrated: (state, { details }) => {
    const units = details["units"] as unknown as readonly Pick<
      ActiveStep,
      "step" | "index" | "next"
    >[];
    const moved =
      details["moved"] === true
        ? { interrupt: null, results: resultsWith(state), units: [], hold: null, ended: null }
        : {};
    return {
      ...state,
      started:
        state.started === null
          ? null
          : { ...state.started, definition: text(details["definition"]) },
      cursor: number(details["cursor"]),
      redo: number(details["redo"]),
      units: state.units.map((activeStep) => ({
        ...activeStep,
        ...units.find(({ step }) => step === activeStep.step),
      })),
      scopes: details["scopes"] as unknown as WorkflowState["scopes"],
      ...moved,
    };
  },
  workflow_ended: (state, { details }) => ({
    ...state,
    ended: {
      outcome: text(details["outcome"]),
      reason: (details["reason"] ?? null) as string | null,
    },
  }),
  workflow_held: (state, { details }) => {
    const { hold: first } = state;
    const hold = {
      step: text(details["step"]),
      why: text(details["why"]),
      message: text(details["message"]),
    };
    // A later hold must not hide what a person still has to look at.
    const message =
      first === null ? "" : `${first.message}; \`${hold.step}\`: ${hold.message}`.slice(0, 1_000);
    return { ...state, hold: first === null ? hold : { ...first, message } };
  },
  workflow_released: (state) => {
    const { hold } = state;
    if (hold === null) return state;
    const { interrupt } = state;
    if (interrupt !== null)
      return { ...state, hold: null, interrupt: { ...interrupt, released: true } };
    return withActiveStep({ ...state, hold: null }, hold.step, (activeStep) => ({
      ...activeStep,
      tries: 0,
      released: [...activeStep.released, hold.why],
    }));
  },
};
