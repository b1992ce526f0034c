import { isJsonObject, type Json } from "@bylaw/kernel";

/**
 * The step at which CodeMachine 0.7 resumed, from its tracking file: the lowest step that began and
 * did not end, if resuming is on; otherwise the first. Pure.
 */
export function codemachineResumeIndex(tracking: Json): number {
  if (!isJsonObject(tracking) || tracking["resumeFromLastStep"] !== true) return 0;
  const steps = tracking["notCompletedSteps"];
  const open = Array.isArray(steps)
    ? steps.filter((one): one is number => typeof one === "number")
    : [];
  return open.length === 0 ? 0 : Math.min(...open);
}

/**
 * The step at which Radium resumed: the first number that is not among the completed steps. Names
 * that are not numbers do not count. Pure.
 */
export function radiumResumeIndex(completed: readonly string[], total: number): number {
  const done = new Set(completed);
  let index = 0;
  while (index < total && done.has(String(index))) index += 1;
  return index;
}
