import { didYouMean } from "@bylaw/wording";
import { readCondition } from "./condition.ts";
import { checkTracks } from "./check-tracks.ts";
import type { Problem } from "./problems.ts";
import type { Step, Template } from "./template.ts";

type Tell = (key: string | undefined, message: string, fix?: string) => void;

/** Finds problems between the parts of a template: unknown names, and parts that can never have an effect. Pure. */
export function checkTemplate(
  template: Template,
  pathOf: (index: number) => readonly PropertyKey[],
): readonly Problem[] {
  const { steps, compat } = template;
  const problems: Problem[] = [...checkTracks(template, pathOf)];
  const ids = new Set<string>();
  const groups = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const tell: Tell = (key, message, fix) =>
      void problems.push({
        path: [...pathOf(index), ...(key === undefined ? [] : [key])],
        message,
        ...(fix === undefined ? {} : { fix }),
      });
    if (ids.has(step.id)) tell("id", `The step id \`${step.id}\` is given twice`);
    ids.add(step.id);
    checkAgents(step, template, tell);
    checkGroup(step, index, template, groups, tell);
    problems.push(...checkConditions(step, index, template, pathOf(index), tell));
    for (const needed of step.depends_on) {
      const fault = fitsBefore(needed, steps, index);
      if (fault !== undefined) tell("depends_on", fault, nearStep(needed, steps));
    }
    const fault =
      step.loop !== null && compat === null ? loopFault(step.loop, steps, index) : undefined;
    if (fault !== undefined) tell("loop", fault);
  }
  return problems;
}

const nearStep = (id: string, steps: readonly Step[]): string | undefined =>
  didYouMean(
    id,
    steps.map((step) => step.id),
  );

function checkAgents(step: Step, { agents }: Template, tell: Tell): void {
  for (const key of ["agent", "fallback", "trigger"] as const) {
    const named = step[key];
    if (named !== null && named !== "" && !Object.hasOwn(agents, named))
      tell(key, `Unknown agent \`${named}\``, didYouMean(named, Object.keys(agents)));
  }
  if (step.agent === null && step.run === null)
    tell(undefined, `The step \`${step.id}\` runs nothing; give it \`agent\` or \`run\``);
  if (step.fallback !== null && step.fallback === step.agent)
    tell("fallback", "The fallback is the same agent as the step's own");
}

function checkGroup(
  { parallel, loop }: Step,
  index: number,
  { steps }: Template,
  seen: Set<string>,
  tell: Tell,
): void {
  if (parallel === null) return;
  if (loop !== null) tell("loop", "A parallel step cannot loop; loop in the step after the group");
  if (steps[index - 1]?.parallel === parallel) return;
  if (seen.has(parallel))
    tell("parallel", `The steps of the group \`${parallel}\` must be next to each other`);
  if (steps[index + 1]?.parallel !== parallel)
    tell("parallel", `The group \`${parallel}\` has only one step`);
  seen.add(parallel);
}

/** Returns warnings about conditions without effect. */
function checkConditions(
  step: Step,
  index: number,
  { steps, compat }: Template,
  path: readonly PropertyKey[],
  tell: Tell,
): readonly Problem[] {
  const idle: Problem[] = [];
  for (const key of ["when", "skip_if"] as const) {
    const text = step[key];
    if (text === null) continue;
    if (compat !== "radium")
      checkCondition(text, steps, index, (message, fix) => tell(key, message, fix));
    else if (!RADIUM_CONDITION.test(text))
      idle.push({
        path: [...path, key],
        message: `\`${key}\` is always true, as in Radium, which cannot read it`,
        severity: "warning",
      });
  }
  return idle;
}

const RADIUM_CONDITION = /^\s*[^.\s]+\.result\.[^.\s]+ == .+$/;

function checkCondition(
  text: string,
  steps: readonly Step[],
  index: number,
  tell: (message: string, fix?: string) => void,
): void {
  const condition = readCondition(text);
  if (typeof condition === "string") return tell(condition);
  for (const { step, field } of condition.clauses) {
    const fault = fitsBefore(step, steps, index);
    if (fault !== undefined) tell(fault, nearStep(step, steps));
    else if (field === "output" && steps.find(({ id }) => id === step)?.output !== "json")
      tell(`\`${step}.output\` needs \`output: json\` in that step`);
  }
  return undefined;
}

// A step that runs later, or at the same time, has not ended when a condition asks about it. A loop
// from a later step may have run it before.
function fitsBefore(id: string, steps: readonly Step[], index: number): string | undefined {
  const at = steps.findIndex((step) => step.id === id);
  if (at < 0) return `Unknown step \`${id}\``;
  const group = steps[index]?.parallel ?? null;
  const beside = group !== null && steps[at]?.parallel === group;
  if (at === index || beside) return `The step \`${id}\` has not ended by then`;
  if (at < index) return undefined;
  const comesBack = steps.some(
    ({ loop }, from) => loop !== null && from >= at && from - loop.steps <= index,
  );
  return comesBack ? undefined : `The step \`${id}\` runs later`;
}

function loopFault(
  { steps: back, skip }: NonNullable<Step["loop"]>,
  steps: readonly Step[],
  at: number,
): string | undefined {
  if (back > at) return `The loop goes ${back} steps back, but only ${at} come before it`;
  const group = steps[at - back]?.parallel ?? null;
  if (group !== null && steps[at - back - 1]?.parallel === group)
    return "The loop leads into the middle of parallel steps; it must lead to their first";
  const repeated = steps.slice(at - back, at).map(({ id }) => id);
  const idle = skip.find((one) => !repeated.includes(one));
  if (idle !== undefined)
    return `\`skip\` names \`${idle}\`, which the loop does not repeat; it repeats ${repeated.join(", ")}`;
  return skip.length > 0 && repeated.every((one) => skip.includes(one))
    ? "The loop skips every step that it repeats"
    : undefined;
}
