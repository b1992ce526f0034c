import { defineProjection, isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { treeGet, treePut } from "@bylaw/log";
import type { Template } from "../template/template.ts";
import { NO_OWNER, type Asked, type Frame, type StepResult, type Unit, type WorkflowState } from "./standing.ts";

const BEGIN: WorkflowState = {
  started: null,
  cursor: 0,
  units: [],
  results: null,
  scopes: [],
  interrupt: null,
  unseen: { steps: 0, last: null },
  hold: null,
  pauses: [],
  redo: 0,
  ended: null,
};
const FRAME: Frame = {
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

/** The workflow of a run, folded from its log. */
export const workflowState = defineProjection<WorkflowState>({
  name: "@bylaw/runner/workflow",
  version: 3,
  initial: BEGIN,
  reduce: (state, event) => (Object.hasOwn(FOLDS, event.event_type) ? (FOLDS[event.event_type]?.(state, event) ?? state) : state),
});

/** What is known of a step. */
export const resultOf = ({ results }: WorkflowState, step: string): StepResult | undefined => treeGet(results, step);

/** The steps of a template that are completed. */
export const completedSteps = ({ steps }: Template, state: WorkflowState): readonly string[] =>
  state.results === null ? [] : steps.flatMap(({ id }) => (resultOf(state, id)?.status === "completed" ? [id] : []));

type Fold = (state: WorkflowState, event: LogEvent) => WorkflowState;

const text = (value: Json | undefined): string => String(value);
const number = (value: Json | undefined): number => Number(value);

const FOLDS: Readonly<Record<string, Fold>> = {
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
    const done = doneIn(state);
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
    const units = details["units"] as unknown as readonly Pick<Unit, "step" | "index" | "next">[];
    const moved = details["moved"] === true ? { interrupt: null, results: resultsWith(state), units: [], hold: null, ended: null } : {};
    return {
      ...state,
      started: state.started === null ? null : { ...state.started, definition: text(details["definition"]) },
      cursor: number(details["cursor"]),
      redo: number(details["redo"]),
      units: state.units.map((unit) => ({ ...unit, ...units.find(({ step }) => step === unit.step) })),
      scopes: details["scopes"] as unknown as WorkflowState["scopes"],
      ...moved,
    };
  },
  workflow_ended: (state, { details }) => ({
    ...state,
    ended: { outcome: text(details["outcome"]), reason: (details["reason"] ?? null) as string | null },
  }),
  workflow_held: (state, { details }) => {
    const { hold: first } = state;
    const hold = { step: text(details["step"]), why: text(details["why"]), message: text(details["message"]) };
    // What comes behind a hold takes nothing away of what a person is to look at.
    const message = first === null ? "" : `${first.message}; \`${hold.step}\`: ${hold.message}`.slice(0, 1_000);
    return { ...state, hold: first === null ? hold : { ...first, message } };
  },
  workflow_released: (state) => {
    const { hold } = state;
    if (hold === null) return state;
    const { interrupt } = state;
    if (interrupt !== null) return { ...state, hold: null, interrupt: { ...interrupt, released: true } };
    return withUnit({ ...state, hold: null }, hold.step, (unit) => ({ ...unit, tries: 0, released: [...unit.released, hold.why] }));
  },
  step_started: (state, { agent_id, details }) => {
    const step = text(details["step"]);
    const [attempt, fallback] = [number(details["attempt"]), details["fallback"] === true];
    const known = state.units.find((unit) => unit.step === step);
    const [before] = known?.frames ?? [];
    // What was granted to an attempt that came to no good end is granted to the next one: it is on record, counted, and asked for once.
    const kept = before?.asked === "granted" ? before : FRAME;
    const frame: Frame = { ...kept, agent: agent_id, attempt, status: "running", called: false };
    if (known !== undefined)
      return withUnit(state, step, (unit) => ({
        ...unit,
        fallback,
        frames: [frame],
        tries: fallback && !unit.fallback ? 1 : unit.tries + 1,
        released: [],
      }));
    const { index, next, visit } = details as { readonly index: number; readonly next: number; readonly visit: number };
    const unit: Unit = {
      step,
      index,
      next,
      visit,
      fallback,
      frames: [frame],
      output: null,
      exit_code: null,
      print: null,
      tries: 1,
      settled: false,
      released: [],
    };
    return { ...state, units: [...state.units, unit], interrupt: null };
  },
  oversight_due: (state, { details }) => ({
    ...state,
    unseen: { steps: 0, last: null },
    interrupt: { step: text(details["step"]), status: "due", risk: 0, released: false },
  }),
  step_completed: (state, { details }) =>
    withUnit(state, text(details["step"]), (unit) => ({
      ...withTop(unit, { status: details["ok"] === true ? "done" : "failed" }),
      output: details["output"] ?? null,
      exit_code: (details["exit_code"] ?? null) as number | null,
      print: (details["print"] ?? null) as string | null,
    })),
  step_skipped: (state, { details }) => {
    const before = resultOf(state, text(details["step"]));
    const kept = details["why"] === "once" || details["why"] === "completed" ? before : undefined;
    const skipped: StepResult = {
      status: "skipped",
      exit_code: null,
      output: null,
      print: null,
      visits: before?.visits ?? 0,
      attempts: before?.attempts ?? 0,
    };
    return moved({ ...state, results: treePut(state.results, text(details["step"]), kept ?? skipped) }, number(details["next"]));
  },
  step_settled: (state, { details }) => {
    const step = text(details["step"]);
    const unit = state.units.find((one) => one.step === step);
    if (unit === undefined) return state;
    const after = {
      ...withUnit(state, step, (one) => ({ ...one, settled: true })),
      results: treePut(state.results, step, resultIn(unit)),
      unseen: { steps: state.unseen.steps + 1, last: step },
    };
    if (typeof details["next"] !== "number") return after;
    const loop = details["loop"] ?? null;
    const closed = after.scopes.filter(({ owner }) => owner !== unit.index);
    if (!isJsonObject(loop)) return moved({ ...after, units: [], scopes: closed }, details["next"]);
    const to = number(loop["to"]);
    if (loop["kept"] === true)
      return { ...after, units: [], cursor: to, redo: 0, scopes: [{ owner: NO_OWNER, skip: loop["skip"] as readonly string[] }] };
    // A loop inside what is repeated begins anew.
    const outer = closed.filter(({ owner }) => owner < to || owner > unit.index);
    return { ...after, units: [], cursor: to, redo: 0, scopes: [...outer, { owner: unit.index, skip: loop["skip"] as readonly string[] }] };
  },
  behavior_applied: (state, { sequence, agent_id, details }) => {
    const directive = isJsonObject(details["directive"] ?? null) ? (details["directive"] as JsonObject) : null;
    const action = directive?.["action"];
    const pause = {
      checkpoint: sequence,
      reason: (details["reason"] ?? null) as string | null,
      step: (details["step"] ?? null) as string | null,
    };
    const paused = action === "checkpoint" ? { ...state, pauses: [...state.pauses, pause] } : state;
    return withAsker(paused, agent_id, details, (unit) =>
      withTop(unit, {
        asked: "granted",
        directive,
        request: requestIn(details),
        oversight: action === "vibecheck" ? "due" : "none",
        ...(action === "trigger" && typeof directive?.["agent"] === "string" ? { due: directive["agent"] } : {}),
      }),
    );
  },
  behavior_rejected: (state, { agent_id, details }) =>
    withAsker(state, agent_id, details, (unit) => {
      const decision = isJsonObject(details["decision"] ?? null) ? (details["decision"] as JsonObject) : {};
      return withTop(unit, {
        asked: "rejected",
        request: requestIn(details),
        refusal: { code: text(decision["code"]), reason: text(decision["reason"]) },
      });
    }),
  checkpoint_resumed: (state, { details }) => ({
    ...state,
    pauses: state.pauses.filter(({ checkpoint }) => checkpoint !== details["checkpoint"]),
  }),
  oversight_given: (state, { agent_id, details }) => {
    const verdict = details["verdict"] ?? null;
    const risk = isJsonObject(verdict) ? number(verdict["risk"]) : 1;
    return withOversight(state, agent_id, { oversight: "given", risk });
  },
  oversight_failed: (state, { agent_id }) => withOversight(state, agent_id, { oversight: "failed" }),
  call_started: (state, { details }) =>
    withUnit(state, text(details["step"]), (unit) => {
      const again: Partial<Frame> = { status: "running", attempt: number(details["attempt"]) };
      const released = without(unit.released, "failed", "interrupted");
      if (number(details["attempt"]) > 1) return { ...withTop(unit, again), released };
      const { frames } = withTop(unit, { called: true, due: null });
      return { ...unit, released, frames: [...frames, { ...FRAME, ...again, agent: text(details["agent"]) }] };
    }),
  call_completed: (state, { details }) =>
    withUnit(state, text(details["step"]), (unit) => withTop(unit, { status: details["ok"] === true ? "done" : "failed" })),
  agent_returned: (state, { details }) => {
    const called = state.units.find(({ frames }) => frames.length > 1 && frames.at(-1)?.agent === details["agent"]);
    if (called === undefined) return state;
    return withUnit(state, called.step, (unit) => {
      const back = { ...unit, frames: unit.frames.slice(0, -1) };
      // Where a called agent sends the workflow back, its caller does.
      const directive = unit.frames.at(-1)?.directive ?? null;
      return directive?.["action"] === "loop" ? withTop(back, { directive }) : back;
    });
  },
};

/** What was done and not settled is done all the same. */
export const doneIn = ({ units }: WorkflowState): readonly Unit[] => units.filter(({ frames }) => frames[0]?.status === "done");
/** What is known of the steps where those that are under way are left: what was not done failed, and its visit has been. */
export const resultsWith = ({ units, results }: WorkflowState): WorkflowState["results"] =>
  units.reduce((known, unit) => (unit.settled ? known : treePut(known, unit.step, resultIn(unit))), results);

const requestIn = (details: JsonObject): Asked => ({
  action: details["action"] ?? null,
  reason: details["reason"] ?? null,
  target: details["trigger_agent_id"] ?? null,
});

function resultIn({ frames: [{ status, attempt } = FRAME], exit_code, output, print, visit }: Unit): StepResult {
  return { status: status === "done" ? "completed" : "failed", exit_code, output, print, visits: visit, attempts: attempt };
}

/** Behind a step that was left out its loop has ended too. */
const moved = (state: WorkflowState, cursor: number): WorkflowState => {
  const scopes = state.scopes.some(({ owner }) => owner < cursor) ? state.scopes.filter(({ owner }) => owner >= cursor) : state.scopes;
  return { ...state, cursor, scopes, redo: cursor >= state.redo ? 0 : state.redo };
};

const without = (list: readonly string[], ...left: readonly string[]): readonly string[] => list.filter((one) => !left.includes(one));

function withUnit(state: WorkflowState, step: string, change: (unit: Unit) => Unit): WorkflowState {
  return { ...state, units: state.units.map((unit) => (unit.step === step ? change(unit) : unit)) };
}

const withTop = (unit: Unit, change: Partial<Frame>): Unit => ({
  ...unit,
  frames: unit.frames.map((frame, index) => (index === unit.frames.length - 1 ? { ...frame, ...change } : frame)),
});

// The first request of an agent in a step counts, and after it a stop; whoever is not at work there asks for nothing that concerns it.
function withAsker(state: WorkflowState, agent: string | null, details: JsonObject, change: (unit: Unit) => Unit): WorkflowState {
  const unit = state.units.find((one) => one.step === details["step"] && !one.settled);
  const top = unit?.frames.at(-1);
  if (unit === undefined || top === undefined || top.agent !== agent) return state;
  const counts = top.asked !== "granted" || (details["action"] === "stop" && details["directive"] !== undefined);
  const other = counts ? top.request : requestIn(details);
  const others = other === null ? top.others : [...top.others, other].slice(-20);
  return withUnit(state, unit.step, (one) => withTop(counts ? change(one) : one, { others }));
}

function withOversight(state: WorkflowState, agent: string | null, change: Partial<Frame>): WorkflowState {
  const { interrupt } = state;
  if (interrupt?.status === "due" && agent === null) {
    const { oversight: status, risk = 0 } = change;
    return { ...state, interrupt: { ...interrupt, status: status === "given" ? "given" : "failed", risk } };
  }
  const unit = state.units.find(({ frames }) => frames.at(-1)?.oversight === "due" && frames.at(-1)?.agent === agent);
  return unit === undefined ? state : withUnit(state, unit.step, (one) => withTop(one, change));
}
