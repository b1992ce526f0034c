import { isJsonObject, type Json } from "@bylaw/kernel";
import { treeGet, treePut } from "@bylaw/log";
import {
  movedTo,
  NEW_AGENT,
  resultIn,
  withActiveStep,
  withCurrentAgent,
  type Reducer,
} from "./changes.ts";
import { NO_OWNER, type ActiveAgent, type ActiveStep, type StepResult } from "./types.ts";

const text = (value: Json | undefined): string => String(value);
const number = (value: Json | undefined): number => Number(value);

export const STEP_REDUCERS: Readonly<Record<string, Reducer>> = {
  step_started: (state, { agent_id, details }) => {
    const step = text(details["step"]);
    const [attempt, fallback] = [number(details["attempt"]), details["fallback"] === true];
    const known = state.units.find((activeStep) => activeStep.step === step);
    const [before] = known?.frames ?? [];
    // A request that was granted to a failed attempt is kept for the next one, because it is
    // recorded and counted only once.
    const kept = before?.asked === "granted" ? before : NEW_AGENT;
    const activeAgent: ActiveAgent = {
      ...kept,
      agent: agent_id,
      attempt,
      status: "running",
      called: false,
    };
    if (known !== undefined)
      return withActiveStep(state, step, (activeStep) => ({
        ...activeStep,
        fallback,
        frames: [activeAgent],
        tries: fallback && !activeStep.fallback ? 1 : activeStep.tries + 1,
        released: [],
      }));
    const { index, next, visit } = details as {
      readonly index: number;
      readonly next: number;
      readonly visit: number;
    };
    const activeStep: ActiveStep = {
      step,
      index,
      next,
      visit,
      fallback,
      frames: [activeAgent],
      output: null,
      exit_code: null,
      print: null,
      tries: 1,
      settled: false,
      released: [],
    };
    return { ...state, units: [...state.units, activeStep], interrupt: null };
  },
  step_completed: (state, { details }) =>
    withActiveStep({ ...state, advice: null }, text(details["step"]), (activeStep) => ({
      ...withCurrentAgent(activeStep, { status: details["ok"] === true ? "done" : "failed" }),
      output: details["output"] ?? null,
      exit_code: (details["exit_code"] ?? null) as number | null,
      print: (details["print"] ?? null) as string | null,
    })),
  step_skipped: (state, { details }) => {
    const before = treeGet(state.results, text(details["step"]));
    const kept = details["why"] === "once" || details["why"] === "completed" ? before : undefined;
    const skipped: StepResult = {
      status: "skipped",
      exit_code: null,
      output: null,
      print: null,
      visits: before?.visits ?? 0,
      attempts: before?.attempts ?? 0,
    };
    return movedTo(
      { ...state, results: treePut(state.results, text(details["step"]), kept ?? skipped) },
      number(details["next"]),
    );
  },
  step_settled: (state, { details }) => {
    const step = text(details["step"]);
    const activeStep = state.units.find((one) => one.step === step);
    if (activeStep === undefined) return state;
    const after = {
      ...withActiveStep(state, step, (one) => ({ ...one, settled: true })),
      results: treePut(state.results, step, resultIn(activeStep)),
      unseen: { steps: state.unseen.steps + 1, last: step },
    };
    if (typeof details["next"] !== "number") return after;
    const loop = details["loop"] ?? null;
    const closed = after.scopes.filter(({ owner }) => owner !== activeStep.index);
    if (!isJsonObject(loop))
      return movedTo({ ...after, units: [], scopes: closed }, details["next"]);
    const to = number(loop["to"]);
    if (loop["kept"] === true)
      return {
        ...after,
        units: [],
        cursor: to,
        redo: 0,
        scopes: [{ owner: NO_OWNER, skip: loop["skip"] as readonly string[] }],
      };
    // A loop inside the repeated steps starts again.
    const outer = closed.filter(({ owner }) => owner < to || owner > activeStep.index);
    return {
      ...after,
      units: [],
      cursor: to,
      redo: 0,
      scopes: [...outer, { owner: activeStep.index, skip: loop["skip"] as readonly string[] }],
    };
  },
  call_started: (state, { details }) =>
    withActiveStep(state, text(details["step"]), (activeStep) => {
      const again: Partial<ActiveAgent> = {
        status: "running",
        attempt: number(details["attempt"]),
      };
      const released = without(activeStep.released, "failed", "interrupted");
      if (number(details["attempt"]) > 1)
        return { ...withCurrentAgent(activeStep, again), released };
      const { frames } = withCurrentAgent(activeStep, { called: true, due: null });
      return {
        ...activeStep,
        released,
        frames: [...frames, { ...NEW_AGENT, ...again, agent: text(details["agent"]) }],
      };
    }),
  call_completed: (state, { details }) =>
    withActiveStep({ ...state, advice: null }, text(details["step"]), (activeStep) =>
      withCurrentAgent(activeStep, { status: details["ok"] === true ? "done" : "failed" }),
    ),
  agent_returned: (state, { details }) => {
    const called = state.units.find(
      ({ frames }) => frames.length > 1 && frames.at(-1)?.agent === details["agent"],
    );
    if (called === undefined) return state;
    return withActiveStep(state, called.step, (activeStep) => {
      const back = { ...activeStep, frames: activeStep.frames.slice(0, -1) };
      // If a called agent sends the workflow back, this counts for its caller.
      const directive = activeStep.frames.at(-1)?.directive ?? null;
      return directive?.["action"] === "loop" ? withCurrentAgent(back, { directive }) : back;
    });
  },
};

const without = (list: readonly string[], ...left: readonly string[]): readonly string[] =>
  list.filter((one) => !left.includes(one));
