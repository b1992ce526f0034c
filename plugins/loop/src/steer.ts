import { allow, deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { countOf, loopCounters, type LoopCount } from "./counters.ts";
import type { LoopsOptions } from "./options.ts";

export const CODES = {
  loop_step_missing: "the request names no step to go back from",
  loop_step_unknown: "the request names a step that the workflow does not have",
  loop_not_declared: "the step has no loop",
  loop_limit: "the loop has reached its limit",
  loop_stalled: "the loop went back several times, and nothing changed",
} as const;

type Steer = (request: Behavior, view: View) => Verdict | undefined;

/** A step with a loop. `at`: its index in the workflow. */
type LoopingStep = LoopsOptions["loops"][string] & { readonly step: string; readonly at: number };

/** Decides where the workflow continues from a step: back, forward, or nowhere. Pure. */
export function steer(options: LoopsOptions): Steer {
  const { order, loops, compat } = options;
  const indexes = new Map(order.map((name, index) => [name, index]));
  return (request, view) => {
    const { step } = request;
    const at = step === undefined ? undefined : indexes.get(step);
    const loop = step !== undefined && Object.hasOwn(loops, step) ? loops[step] : undefined;
    const from =
      step === undefined || at === undefined || loop === undefined
        ? undefined
        : { ...loop, step, at };
    if (compat !== undefined) return steerCompat(options, compat, request, from, view);
    switch (request.action) {
      case "continue":
        return goesOn();
      case "stop":
        return from === undefined
          ? allow("The workflow stops", { directive: { action: "stop" } })
          : allow(endText(from), { directive: { action: "continue", ended: from.step } });
      case "loop": {
        if (from === undefined) return noLoop(options, step);
        const count = countOf(view(loopCounters), request.task ?? null, from.step);
        return spent(from, request, count) ?? goBack(options, from, request, count);
      }
      default:
        return undefined;
    }
  };
}

const goesOn = (): Verdict => allow("The workflow goes on", { directive: { action: "continue" } });

function noLoop({ order, loops }: LoopsOptions, step: string | undefined): Verdict {
  if (step === undefined)
    return deny("The loop names no step", "Name the step", { code: "loop_step_missing" });
  if (!order.includes(step))
    return deny(`The workflow has no step ${quote(step)}`, undefined, {
      code: "loop_step_unknown",
    });
  return deny(
    `The step ${quote(step)} has no loop. Steps with a loop: ${Object.keys(loops).map(quote).join(", ") || "none"}`,
    "Go on, or declare a loop for the step",
    { code: "loop_not_declared" },
  );
}

/** Denies a loop that has reached its limit, or that has changed nothing several times. */
function spent(
  { step, max_iterations, stall }: LoopingStep,
  { host }: Behavior,
  { iterations, same, progress: before }: LoopCount,
): Verdict | undefined {
  const rule = { name: step };
  if (iterations >= max_iterations)
    return deny(
      `The step ${quote(step)} has looped ${iterations} times, and the limit is ${max_iterations}`,
      "Go on, or ask a person",
      { code: "loop_limit", rule },
    );
  // No reported progress counts as none. Otherwise leaving it out evades the limit.
  if (stall === undefined || (progressOf(host) ?? before) !== before || same < stall)
    return undefined;
  return deny(
    `The last ${same} loops of ${quote(step)} changed nothing`,
    "Try another way, or ask a person",
    { code: "loop_stalled", rule },
  );
}

const progressOf = (host: Behavior["host"]): string | null =>
  typeof host?.["progress"] === "string" ? host["progress"] : null;

function goBack(
  { order, loops, compat }: LoopsOptions,
  { step, at, steps, skip, max_iterations }: LoopingStep,
  { host, reason }: Behavior,
  { iterations }: LoopCount,
): Verdict {
  const repeated = order.slice(Math.max(0, at - steps), at);
  const to = repeated[0] ?? step;
  const directive = {
    action: "loop" as const,
    step,
    to,
    steps_back: steps,
    skip,
    iteration: iterations + 1,
    max_iterations,
    // An inner loop gets its full budget in each pass of the outer one. All of them end, because the outermost does.
    resets: compat === "codemachine" ? [] : repeated.filter((inner) => Object.hasOwn(loops, inner)),
    ...(compat === undefined ? { progress: progressOf(host) } : {}),
  };
  const why = reason === undefined ? "" : `: ${reason}`;
  return allow(`The workflow goes back from ${quote(step)} to ${quote(to)}${why}`, {
    rule: { name: step },
    directive,
  });
}

/**
 * The same as Radium and CodeMachine read it. The limit comes before the request, a step without a loop is no fault, and only a loop or
 * its end has an effect. CodeMachine counts anew when a loop has ended, and not when a loop around it goes back.
 */
function steerCompat(
  options: LoopsOptions,
  compat: NonNullable<LoopsOptions["compat"]>,
  request: Behavior,
  from: LoopingStep | undefined,
  view: View,
): Verdict | undefined {
  const { action } = request;
  const otherwise = ["loop", "stop", "continue"].includes(action) ? goesOn() : undefined;
  if (from === undefined) return otherwise;
  const { step, max_iterations } = from;
  const count = countOf(view(loopCounters), request.task ?? null, step);
  const over = count.iterations + 1 > max_iterations;
  if (!over && action !== "stop")
    return action === "loop" ? goBack(options, from, request, count) : otherwise;
  const ended = {
    action: "continue" as const,
    ended: step,
    ...(compat === "codemachine" ? { resets: [step] } : {}),
  };
  const why = over ? `loop limit reached (${max_iterations})` : endText(from);
  return allow(why, { rule: { name: step }, directive: ended });
}

const endText = ({ step }: LoopingStep): string =>
  `The loop of ${quote(step)} ends, and the workflow goes on`;
