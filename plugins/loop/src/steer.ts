import { allow, deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { countOf, loopCounters } from "./counters.ts";
import type { LoopsOptions } from "./options.ts";

export const CODES = {
  loop_step_missing: "the request names no step to go back from",
  loop_step_unknown: "the request names a step that the workflow does not have",
  loop_not_declared: "the step has no loop",
  loop_limit: "the loop has reached its limit",
  loop_stalled: "the loop went back several times, and nothing changed",
} as const;

/** Decides where the workflow continues from a step: back, forward, or nowhere. Pure. */
export function steer(
  options: LoopsOptions,
): (request: Behavior, view: View) => Verdict | undefined {
  const { order, loops, compat } = options;
  const indexes = new Map(order.map((name, index) => [name, index]));
  if (compat !== undefined) return steerCompat(options, compat, indexes);
  return ({ action, step, reason, task = null, host }, view) => {
    const at = step === undefined ? undefined : indexes.get(step);
    const loop =
      step !== undefined && at !== undefined && Object.hasOwn(loops, step)
        ? loops[step]
        : undefined;
    if (action === "continue")
      return allow("The workflow goes on", { directive: { action: "continue" } });
    if (action === "stop")
      return loop === undefined
        ? allow("The workflow stops", { directive: { action: "stop" } })
        : allow(`The loop of ${quote(step ?? "")} ends, and the workflow goes on`, {
            directive: { action: "continue", ended: step ?? null },
          });
    if (action !== "loop") return undefined;
    if (step === undefined)
      return deny("The loop names no step", "Name the step", { code: "loop_step_missing" });
    if (at === undefined)
      return deny(`The workflow has no step ${quote(step)}`, undefined, {
        code: "loop_step_unknown",
      });
    const rule = { name: step };
    if (loop === undefined)
      return deny(
        `The step ${quote(step)} has no loop. Steps with a loop: ${Object.keys(loops).map(quote).join(", ") || "none"}`,
        "Go on, or declare a loop for the step",
        { code: "loop_not_declared" },
      );
    const { steps, max_iterations, skip, stall } = loop;
    const { iterations, same, progress: before } = countOf(view(loopCounters), task, step);
    if (iterations >= max_iterations)
      return deny(
        `The step ${quote(step)} has looped ${iterations} times, and the limit is ${max_iterations}`,
        "Go on, or ask a person",
        { code: "loop_limit", rule },
      );
    const progress = typeof host?.["progress"] === "string" ? host["progress"] : null;
    // No reported progress counts as none. Otherwise leaving it out evades the limit.
    if (stall !== undefined && (progress ?? before) === before && same >= stall)
      return deny(
        `The last ${same} loops of ${quote(step)} changed nothing`,
        "Try another way, or ask a person",
        { code: "loop_stalled", rule },
      );
    const repeated = order.slice(at - steps, at);
    // An inner loop gets its full budget in each pass of the outer one. All of them end, because the outermost does.
    const resets = repeated.filter((inner) => Object.hasOwn(loops, inner));
    const directive = {
      action: "loop" as const,
      step,
      to: repeated[0] ?? step,
      steps_back: steps,
      skip,
      iteration: iterations + 1,
      max_iterations,
    };
    return allow(backText(step, directive.to, reason), {
      rule,
      directive: { ...directive, resets, progress },
    });
  };
}

/**
 * The same as Radium and CodeMachine read it. The limit comes before the request, a step without a loop is no fault, and only a loop or
 * its end has an effect. CodeMachine counts anew when a loop has ended, and not when a loop around it goes back.
 */
function steerCompat(
  { order, loops }: LoopsOptions,
  compat: NonNullable<LoopsOptions["compat"]>,
  indexes: ReadonlyMap<string, number>,
): (request: Behavior, view: View) => Verdict | undefined {
  return ({ action, step, reason, task = null }, view) => {
    const at = step === undefined ? undefined : indexes.get(step);
    const loop =
      step !== undefined && at !== undefined && Object.hasOwn(loops, step)
        ? loops[step]
        : undefined;
    const goesOn = ["loop", "stop", "continue"].includes(action)
      ? allow("The workflow goes on", { directive: { action: "continue" } })
      : undefined;
    if (step === undefined || at === undefined || loop === undefined) return goesOn;
    const { steps, max_iterations, skip } = loop;
    const { iterations } = countOf(view(loopCounters), task, step);
    const over = iterations + 1 > max_iterations;
    if (over || action === "stop") {
      const ended = {
        action: "continue" as const,
        ended: step,
        ...(compat === "codemachine" ? { resets: [step] } : {}),
      };
      const why = over
        ? `loop limit reached (${max_iterations})`
        : `The loop of ${quote(step)} ends, and the workflow goes on`;
      return allow(why, { rule: { name: step }, directive: ended });
    }
    if (action !== "loop") return goesOn;
    const to = order[Math.max(0, at - steps)] ?? step;
    const resets =
      compat === "codemachine"
        ? []
        : order.slice(Math.max(0, at - steps), at).filter((inner) => Object.hasOwn(loops, inner));
    const directive = {
      action: "loop" as const,
      step,
      to,
      steps_back: steps,
      skip,
      iteration: iterations + 1,
      max_iterations,
      resets,
    };
    return allow(backText(step, to, reason), { rule: { name: step }, directive });
  };
}

const backText = (step: string, to: string, reason: string | undefined): string =>
  `The workflow goes back from ${quote(step)} to ${quote(to)}${reason === undefined ? "" : `: ${reason}`}`;
