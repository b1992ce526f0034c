import { allow, deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import { countOf, loopCounters } from "./counters.ts";
import type { LoopsOptions } from "./options.ts";

export const CODES = {
  loop_step_missing: "the request names no step, so nothing says where to go back from",
  loop_step_unknown: "the request names a step that the workflow does not have",
  loop_not_declared: "the step has no loop",
  loop_limit: "the loop went back as often as it may",
  loop_stalled: "the loop went back again and again, and nothing changed",
} as const;

/** Where the workflow goes on from a step: back, forward, or nowhere. Pure. */
export function steer({ order, loops }: LoopsOptions): (request: Behavior, view: View) => Verdict | undefined {
  return ({ action, step, reason, task = null, host }, view) => {
    const known = step !== undefined && order.includes(step);
    const loop = known && Object.hasOwn(loops, step) ? loops[step] : undefined;
    if (action === "continue") return allow("The workflow goes on", { directive: { action: "continue" } });
    if (action === "stop")
      return loop === undefined
        ? allow("The workflow stops", { directive: { action: "stop" } })
        : allow(`The loop of ${quote(step)} ends, and the workflow goes on`, { directive: { action: "continue", ended: step ?? null } });
    if (action !== "loop") return undefined;
    if (step === undefined)
      return deny("Unexpected loop from no step, expected the step that goes back", "name the step", { code: "loop_step_missing" });
    if (!known) return deny(`Unexpected step ${quote(step)}, expected one of the workflow`, undefined, { code: "loop_step_unknown" });
    const rule = { name: step };
    if (loop === undefined)
      return deny(
        `Unexpected loop from ${quote(step)}, expected a step with a loop: ${Object.keys(loops).map(quote).join(", ") || "none has one"}`,
        "go on, or declare a loop for the step",
        { code: "loop_not_declared" },
      );
    const { steps, max_iterations, skip, stall } = loop;
    const { iterations, same, progress: before } = countOf(view(loopCounters), task, step);
    if (iterations >= max_iterations)
      return deny(`Unexpected loop ${iterations + 1} of ${quote(step)}, expected at most ${max_iterations}`, "go on, or ask a person", {
        code: "loop_limit",
        rule,
      });
    const progress = typeof host?.["progress"] === "string" ? host["progress"] : null;
    if (stall !== undefined && progress !== null && progress === before && same >= stall)
      return deny(
        `Unexpected loop ${iterations + 1} of ${quote(step)}, expected progress: the last ${same} left everything as it was`,
        "try another way, or ask a person",
        { code: "loop_stalled", rule },
      );
    const at = order.indexOf(step);
    const repeated = order.slice(at - steps, at);
    // A loop inside has its whole budget again in each pass of the one around it; all of them together end, because this one does.
    const resets = repeated.filter((inner) => Object.hasOwn(loops, inner));
    return allow(
      `The workflow goes back from ${quote(step)} to ${quote(repeated[0] ?? step)}${reason === undefined ? "" : `: ${reason}`}`,
      {
        rule,
        directive: {
          action: "loop",
          step,
          to: repeated[0] ?? step,
          steps_back: steps,
          skip,
          iteration: iterations + 1,
          max_iterations,
          resets,
          progress,
        },
      },
    );
  };
}

const quote = (text: string | undefined): string => {
  const line = (text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029`]/g, " ");
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``;
};
