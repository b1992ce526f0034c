import type { Template } from "../template/template.ts";

/** The options of the plugin `loop` for a template: its steps in order, and those that may go back. */
export function loopOptionsOf({ steps }: Template) {
  const loops: Record<string, { steps: number; max_iterations: number; skip: string[] }> = {};
  for (const { id, loop } of steps)
    if (loop !== null) loops[id] = { steps: loop.steps, max_iterations: loop.max_iterations, skip: [...loop.skip] };
  return { order: steps.map(({ id }) => id), loops };
}

/** The options of the plugin `trigger` for a template; `undefined` where there is nobody to call. */
export function triggerOptionsOf({ steps, agents }: Template) {
  const names = Object.keys(agents);
  const usual = steps.flatMap(({ id, trigger }) => (trigger === null ? [] : [[id, trigger] as const]));
  return names.length === 0 ? undefined : { agents: names, steps: Object.fromEntries(usual) };
}
