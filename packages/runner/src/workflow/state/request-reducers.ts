import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { withActiveStep, withCurrentAgent, type Reducer } from "./changes.ts";
import type { ActiveAgent, ActiveStep, AgentRequest, WorkflowState } from "./types.ts";

const text = (value: Json | undefined): string => String(value);
const number = (value: Json | undefined): number => Number(value);

/** The reducers for requests of agents and for oversight. */
export const REQUEST_REDUCERS: Readonly<Record<string, Reducer>> = {
  behavior_applied: (state, { sequence, agent_id, details }) => {
    const directive = isJsonObject(details["directive"] ?? null)
      ? (details["directive"] as JsonObject)
      : null;
    const action = directive?.["action"];
    const pause = {
      checkpoint: sequence,
      reason: (details["reason"] ?? null) as string | null,
      step: (details["step"] ?? null) as string | null,
    };
    const paused = action === "checkpoint" ? { ...state, pauses: [...state.pauses, pause] } : state;
    return withRequester(paused, agent_id, details, (activeStep) =>
      withCurrentAgent(activeStep, {
        asked: "granted",
        directive,
        request: requestIn(details),
        oversight: action === "vibecheck" ? "due" : "none",
        ...(action === "trigger" && typeof directive?.["agent"] === "string"
          ? { due: directive["agent"] }
          : {}),
      }),
    );
  },
  behavior_rejected: (state, { agent_id, details }) =>
    withRequester(state, agent_id, details, (activeStep) => {
      const decision = isJsonObject(details["decision"] ?? null)
        ? (details["decision"] as JsonObject)
        : {};
      return withCurrentAgent(activeStep, {
        asked: "rejected",
        request: requestIn(details),
        refusal: { code: text(decision["code"]), reason: text(decision["reason"]) },
      });
    }),
  checkpoint_resumed: (state, { details }) => ({
    ...state,
    pauses: state.pauses.filter(({ checkpoint }) => checkpoint !== details["checkpoint"]),
  }),
  oversight_due: (state, { details }) => ({
    ...state,
    unseen: { steps: 0, last: null },
    interrupt: { step: text(details["step"]), status: "due", risk: 0, released: false },
  }),
  oversight_given: (state, { agent_id, details }) => {
    const verdict = details["verdict"] ?? null;
    const risk = isJsonObject(verdict) ? number(verdict["risk"]) : 1;
    const advice = isJsonObject(verdict) ? text(verdict["advice"]).slice(0, ADVICE) : "";
    const after = withOversight(state, agent_id, { oversight: "given", risk });
    return { ...after, advice: advice === "" ? null : advice };
  },
  oversight_failed: (state, { agent_id }) =>
    withOversight(state, agent_id, { oversight: "failed" }),
};

/** The most characters of an advice that are passed on, in UTF-16 units. */
const ADVICE = 2_000;

const requestIn = (details: JsonObject): AgentRequest => ({
  action: details["action"] ?? null,
  reason: details["reason"] ?? null,
  target: details["trigger_agent_id"] ?? null,
});

// The first granted request of an agent in a step counts, and a stop after it. A request of any
// agent that is not at work there is ignored.
function withRequester(
  state: WorkflowState,
  agent: string | null,
  details: JsonObject,
  change: (activeStep: ActiveStep) => ActiveStep,
): WorkflowState {
  const activeStep = state.units.find((one) => one.step === details["step"] && !one.settled);
  const top = activeStep?.frames.at(-1);
  if (activeStep === undefined || top === undefined || top.agent !== agent) return state;
  const counts =
    top.asked !== "granted" || (details["action"] === "stop" && details["directive"] !== undefined);
  const other = counts ? top.request : requestIn(details);
  const others = other === null ? top.others : [...top.others, other].slice(-20);
  return withActiveStep(state, activeStep.step, (one) =>
    withCurrentAgent(counts ? change(one) : one, { others }),
  );
}

function withOversight(
  state: WorkflowState,
  agent: string | null,
  change: Partial<ActiveAgent>,
): WorkflowState {
  const { interrupt } = state;
  if (interrupt?.status === "due" && agent === null) {
    const { oversight: status, risk = 0 } = change;
    return {
      ...state,
      interrupt: { ...interrupt, status: status === "given" ? "given" : "failed", risk },
    };
  }
  const activeStep = state.units.find(
    ({ frames }) => frames.at(-1)?.oversight === "due" && frames.at(-1)?.agent === agent,
  );
  return activeStep === undefined
    ? state
    : withActiveStep(state, activeStep.step, (one) => withCurrentAgent(one, change));
}
