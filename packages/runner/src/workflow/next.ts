import type { Step, Template } from "../template/template.ts";
import type { LoopBack, NextAction, Start } from "./next-action.ts";
import { skipReason, type SkipReason } from "./skip-reason.ts";
import type { ActiveAgent, ActiveStep, WorkflowState } from "./state/types.ts";
import { resultOf } from "./state/projection.ts";

type Enter = Extract<NextAction, { readonly do: "enter" }>;

/** Identifies one agent of one active step, so that its control file is read once. */
export const activeAgentKey = ({ step, visit, frames }: ActiveStep): string =>
  JSON.stringify([step, visit, frames.length, frames.at(-1)?.attempt]);

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Returns what a workflow does next in its current state. `read`: the agents whose control file was
 * read since this process began. `before`: the steps that were completed before it began, needed
 * for CodeMachine's reading of `once`. Pure.
 */
export function nextAction(
  template: Template,
  state: WorkflowState,
  read: ReadonlySet<string>,
  before = NOTHING,
): NextAction {
  if (state.started === null) return { do: "begin" };
  if (state.ended !== null) return { do: "ended" };
  if (state.hold !== null) return { do: "held" };
  if (state.pauses.length > 0) return { do: "paused" };
  if (state.units.length > 0) return proceed(template, state, read);
  if (state.cursor >= template.steps.length)
    return { do: "end", outcome: "completed", step: null, reason: null };
  const entered = enter(template, state, before);
  return interrupt(template, state, entered) ?? entered;
}

// Oversight that the template requires before steps begin, even without a request. Skipped steps do not count.
function interrupt(
  { oversight: source, steps }: Template,
  { interrupt: open, unseen, advice }: WorkflowState,
  { starts }: Enter,
): NextAction | undefined {
  const [first] = starts;
  if (source === null || first === undefined) return undefined;
  if (open !== null) {
    if (open.status === "due")
      return { do: "look", step: steps.find(({ id }) => id === open.step) ?? first.step };
    if (open.released) return undefined;
    if (open.status === "failed")
      return {
        do: "hold",
        step: open.step,
        why: "oversight",
        message: "The oversight that was due did not take place",
      };
    return open.risk < source.hold_at
      ? undefined
      : {
          do: "hold",
          step: open.step,
          why: "risk",
          message: riskText(open.risk, source.hold_at, advice),
        };
  }
  if (unseen.last === null) return undefined;
  if (source.every_steps !== null && unseen.steps >= source.every_steps)
    return { do: "due", step: first.step.id, why: "steps" };
  const last = steps.find(({ id }) => id === unseen.last);
  const other =
    source.at_kinds && last !== undefined
      ? starts.find(({ step }) => step.kind !== last.kind)
      : undefined;
  return other === undefined ? undefined : { do: "due", step: other.step.id, why: "kind" };
}

const riskText = (risk: number, limit: number, advice: string | null): string => {
  const said = advice === null ? "" : `. The advice: ${advice}`;
  return `The oversight found a risk of ${risk}; from ${limit} on, a person must look${said}`.slice(
    0,
    1_000,
  );
};

function enter(
  { steps, compat }: Template,
  state: WorkflowState,
  before: ReadonlySet<string>,
): Enter {
  const { cursor } = state;
  const group = steps[cursor]?.parallel ?? null;
  let end = cursor + 1;
  if (group !== null) while (steps[end]?.parallel === group) end += 1;
  const skips: { step: Step; index: number; next: number; why: SkipReason }[] = [];
  const starts: Start[] = [];
  for (let index = cursor; index < end; index += 1) {
    const step = steps[index];
    if (step === undefined) break;
    const why = skipReason(step, index, state, { compat, before });
    if (why === undefined)
      starts.push({
        step,
        index,
        next: end,
        visit: (resultOf(state, step.id)?.visits ?? 0) + 1,
        attempt: 1,
        fallback: false,
      });
    else skips.push({ step, index, next: cursor, why });
  }
  const last = skips.at(-1);
  if (starts.length === 0 && last !== undefined) skips[skips.length - 1] = { ...last, next: end };
  return { do: "enter", skips, starts };
}

function proceed(template: Template, state: WorkflowState, read: ReadonlySet<string>): NextAction {
  const open = state.units.filter(({ settled }) => !settled);
  // First everything that must run, in parallel; then what each step requested, in order.
  const starts: Start[] = [];
  for (const activeStep of open) {
    const again = rerun(template, activeStep);
    if (again === undefined) continue;
    if ("do" in again) return again;
    starts.push(again);
  }
  if (starts.length > 0) return { do: "run", starts };
  const [activeStep] = open;
  if (activeStep === undefined) throw new TypeError("units that are settled and not left");
  return steer(template, state, activeStep, open.length === 1, read);
}

// The step's own agent did not finish, or failed.
function rerun({ steps }: Template, activeStep: ActiveStep): Start | NextAction | undefined {
  const step = steps[activeStep.index];
  const [own] = activeStep.frames;
  if (step === undefined || own === undefined || own.status === "done") return undefined;
  const again: Start = {
    step,
    index: activeStep.index,
    next: activeStep.next,
    visit: activeStep.visit,
    attempt: own.attempt + 1,
    fallback: activeStep.fallback,
  };
  if (own.status === "running") return interrupted(step, activeStep) ?? again;
  if (activeStep.tries <= step.retries) return again;
  if (!activeStep.fallback && step.fallback !== null) return { ...again, fallback: true };
  if (step.continue_on_error) return undefined;
  return {
    do: "hold",
    step: step.id,
    why: "failed",
    message: `Step \`${step.id}\` failed${activeStep.exit_code === null ? "" : ` with exit code ${activeStep.exit_code}`}`,
  };
}

const interrupted = (
  { id, interrupted: then }: Step,
  { released }: ActiveStep,
): NextAction | undefined =>
  then === "ask" && !released.includes("interrupted")
    ? {
        do: "hold",
        step: id,
        why: "interrupted",
        message: `Step \`${id}\` was interrupted, and it is unknown how far it got`,
      }
    : undefined;

function steer(
  template: Template,
  state: WorkflowState,
  activeStep: ActiveStep,
  alone: boolean,
  read: ReadonlySet<string>,
): NextAction {
  const step = template.steps[activeStep.index];
  const activeAgent = activeStep.frames.at(-1);
  if (step === undefined || activeAgent === undefined)
    throw new TypeError("an active step without its step");
  const held = (why: string, message: string): NextAction | undefined =>
    activeStep.released.includes(why)
      ? undefined
      : { do: "hold", step: step.id, why, message: message.slice(0, 1_000) };
  const called = activeStep.frames.length > 1 ? activeAgent.agent : null;
  if (called !== null && activeAgent.status === "running")
    return (
      interrupted(step, activeStep) ?? {
        do: "call",
        activeStep,
        agent: called,
        attempt: activeAgent.attempt + 1,
        step,
      }
    );
  const { compat } = template;
  if (
    called !== null &&
    activeAgent.status === "failed" &&
    !step.continue_on_error &&
    compat !== "codemachine"
  ) {
    const hold = held("failed", `Agent \`${called}\`, called by step \`${step.id}\`, failed`);
    return (
      hold ?? { do: "call", activeStep, agent: called, attempt: activeAgent.attempt + 1, step }
    );
  }
  const leave = (loop: LoopBack | null): NextAction =>
    called === null
      ? { do: "settle", activeStep, next: alone ? (loop?.to ?? activeStep.next) : null, loop }
      : { do: "return", activeStep, agent: called, ok: activeAgent.status === "done" };
  if (activeAgent.status === "failed") return leave(null);
  // CodeMachine ignored the requests of a called agent.
  if (called !== null && compat === "codemachine") return leave(null);
  if (!read.has(activeAgentKey(activeStep))) return { do: "ask", activeStep, activeAgent, step };
  if (activeAgent.asked === "nothing") return leave(null);
  if (activeAgent.asked === "rejected")
    return (
      (compat === "codemachine" ? undefined : rejected(step, activeAgent, held)) ?? leave(null)
    );
  const { action, to, skip } = activeAgent.directive ?? {};
  switch (action) {
    case "stop":
      return { do: "end", outcome: "stopped", step: step.id, reason: called };
    case "trigger":
      return activeAgent.called
        ? leave(null)
        : {
            do: "call",
            activeStep,
            agent: String(activeAgent.directive?.["agent"]),
            attempt: 1,
            step,
          };
    case "vibecheck":
      return (
        oversight(template, activeStep, activeAgent, step, { held, advice: state.advice }) ??
        leave(null)
      );
    case "loop": {
      if (called !== null) return leave(null);
      const target = template.steps.findIndex(({ id }) => id === to);
      // A configured plugin may name any step, so check that the step exists.
      if (target < 0 || target > activeStep.index)
        return (
          held("rejected", `Cannot loop back to \`${String(to)}\`: it is not an earlier step`) ??
          leave(null)
        );
      return leave({
        to: target,
        skip: Array.isArray(skip) ? skip.map(String) : [],
        ...(compat === "codemachine" ? { kept: true } : {}),
      });
    }
    default:
      return leave(null);
  }
}

type Held = (why: string, message: string) => NextAction | undefined;

function rejected(
  { id, loop }: Step,
  { refusal }: ActiveAgent,
  held: Held,
): NextAction | undefined {
  const { code = "", reason = "" } = refusal ?? {};
  if (code !== "loop_limit" && code !== "loop_stalled") return held("rejected", reason);
  const then = loop?.on_limit ?? "continue";
  if (then === "stop")
    return { do: "end", outcome: "stopped", step: id, reason: reason.slice(0, 1_000) };
  return then === "hold" ? held("limit", reason) : undefined;
}

function oversight(
  { oversight: source }: Template,
  activeStep: ActiveStep,
  activeAgent: ActiveAgent,
  step: Step,
  { held, advice }: { readonly held: Held; readonly advice: string | null },
): NextAction | undefined {
  if (activeAgent.oversight === "due") return { do: "oversee", activeStep, activeAgent, step };
  if (activeAgent.oversight === "failed")
    return held("oversight", "The requested oversight did not take place");
  const limit = source?.hold_at ?? 0.7;
  return activeAgent.risk >= limit
    ? held("risk", riskText(activeAgent.risk, limit, advice))
    : undefined;
}
