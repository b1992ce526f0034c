import type { Step, Template } from "../template/template.ts";
import { interruptedHold, riskText } from "./holds.ts";
import type { NextAction, Start } from "./next-action.ts";
import { skipReason, type SkipReason } from "./skip-reason.ts";
import type { ActiveStep, WorkflowState } from "./state/types.ts";
import { resultOf } from "./state/projection.ts";
import { Steering } from "./steering.ts";

type Enter = Extract<NextAction, { readonly do: "enter" }>;

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
  if (activeStep === undefined)
    throw new TypeError("every active step is settled, but the workflow has not moved on");
  return new Steering(template, state, activeStep, open.length === 1).next(read);
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
  if (own.status === "running") return interruptedHold(step, activeStep) ?? again;
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
