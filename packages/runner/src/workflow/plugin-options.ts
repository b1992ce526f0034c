import type { Template } from "../template/template.ts";

/** The options of the plugin `loop` for a template: its steps in order, and those that may go back. */
export function loopOptionsOf({ steps, compat }: Template) {
  const loops: Record<
    string,
    { steps: number; max_iterations: number; skip: string[]; stall?: number }
  > = {};
  for (const { id, loop } of steps)
    if (loop !== null) {
      const { max_iterations, skip, stall } = loop;
      loops[id] = {
        steps: loop.steps,
        max_iterations,
        skip: [...skip],
        ...(stall === null ? {} : { stall }),
      };
    }
  return { order: steps.map(({ id }) => id), loops, ...(compat === null ? {} : { compat }) };
}

/** The options of the plugin `trigger` for a template. `undefined` if no agent can be called. */
export function triggerOptionsOf({ steps, agents }: Template) {
  const names = Object.keys(agents);
  const usual = steps.flatMap(({ id, trigger }) =>
    trigger === null || trigger === "" ? [] : [[id, trigger] as const],
  );
  return names.length === 0 ? undefined : { agents: names, steps: Object.fromEntries(usual) };
}
