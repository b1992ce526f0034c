import { didYouMean } from "@bylaw/wording";
import { readCondition } from "./condition.ts";
import { checkWays } from "./check-ways.ts";
import type { Problem } from "./dialects.ts";
import type { Step, Template } from "./template.ts";

/** What is wrong between the parts of a template: names that nobody has, and what could never have an effect. Pure. */
export function checkTemplate(template: Template, pathOf: (index: number) => readonly PropertyKey[]): readonly Problem[] {
  const { agents, steps, compat } = template;
  const problems: Problem[] = [...checkWays(template, pathOf)];
  const indexes = new Map<string, number>();
  const seenGroups = new Set<string>();
  steps.forEach((step, index) => {
    const tell = (key: string | undefined, message: string, fix?: string): void =>
      void problems.push({ path: [...pathOf(index), ...(key === undefined ? [] : [key])], message, ...(fix === undefined ? {} : { fix }) });
    if (indexes.has(step.id)) tell("id", `Unexpected second step \`${step.id}\`, expected each id once`);
    indexes.set(step.id, index);
    for (const key of ["agent", "fallback", "trigger"] as const) {
      const named = step[key];
      if (named !== null && named !== "" && !Object.hasOwn(agents, named))
        tell(key, `Unexpected agent \`${named}\`, expected one of \`agents\``, didYouMean(named, Object.keys(agents)));
    }
    if (step.agent === null && step.run === null)
      tell(undefined, `Unexpected step \`${step.id}\` that runs nothing, expected \`agent\` or \`run\``);
    if (step.fallback !== null && step.fallback === step.agent) tell("fallback", "Unexpected fallback to the same agent, expected another");
    if (step.parallel !== null) {
      if (step.loop !== null) tell("loop", "Unexpected loop of a parallel step, expected one of the step behind them");
      if (steps[index - 1]?.parallel !== step.parallel) {
        if (seenGroups.has(step.parallel))
          tell("parallel", `Unexpected group \`${step.parallel}\` in two places, expected its steps beside each other`);
        if (steps[index + 1]?.parallel !== step.parallel)
          tell("parallel", `Unexpected group \`${step.parallel}\` of one step, expected two or more`);
        seenGroups.add(step.parallel);
      }
    }
    for (const key of ["when", "skip_if"] as const) {
      const text = step[key];
      if (text === null) continue;
      if (compat !== "radium") checkCondition(text, steps, index, (message, fix) => tell(key, message, fix));
      else if (!RADIUM_CONDITION.test(text))
        problems.push({
          path: [...pathOf(index), key],
          message: `\`${key}\` is always true: Radium could not read it`,
          severity: "warning",
        });
    }
    for (const needed of step.depends_on) {
      const fault = fitsBefore(needed, steps, index);
      if (fault !== undefined)
        tell(
          "depends_on",
          fault,
          didYouMean(
            needed,
            steps.map(({ id }) => id),
          ),
        );
    }
    if (step.loop !== null) {
      const fault = compat === null ? loopFault(step.loop, steps, index) : undefined;
      if (fault !== undefined) tell("loop", fault);
    }
  });
  return problems;
}

const RADIUM_CONDITION = /^\s*[^.\s]+\.result\.[^.\s]+ == .+$/;

function checkCondition(text: string, steps: readonly Step[], index: number, tell: (message: string, fix?: string) => void): void {
  const condition = readCondition(text);
  if (typeof condition === "string") return tell(condition);
  for (const { step, field } of condition.clauses) {
    const fault = fitsBefore(step, steps, index);
    if (fault !== undefined)
      tell(
        fault,
        didYouMean(
          step,
          steps.map(({ id }) => id),
        ),
      );
    else if (field === "output" && steps.find(({ id }) => id === step)?.output !== "json")
      tell(`Unexpected \`${step}.output\`, expected a step with \`output: json\``);
  }
  return undefined;
}

// What runs later, or beside it, has not happened when it is asked about. A loop from behind may have run it before.
function fitsBefore(id: string, steps: readonly Step[], index: number): string | undefined {
  const at = steps.findIndex((step) => step.id === id);
  if (at < 0) return `Unexpected step \`${id}\`, expected one of the template`;
  const group = steps[index]?.parallel ?? null;
  const beside = group !== null && steps[at]?.parallel === group;
  if (at === index || beside) return `Unexpected step \`${id}\`, expected one that has ended before`;
  if (at < index) return undefined;
  const comesBack = steps.some(({ loop }, from) => loop !== null && from >= at && from - loop.steps <= index);
  return comesBack ? undefined : `Unexpected step \`${id}\` that runs later, expected one that has ended before`;
}

function loopFault({ steps: back, skip }: NonNullable<Step["loop"]>, steps: readonly Step[], at: number): string | undefined {
  if (back > at) return `Unexpected loop ${back} steps back, expected at most ${at}: only so many stand before it`;
  const group = steps[at - back]?.parallel ?? null;
  if (group !== null && steps[at - back - 1]?.parallel === group)
    return "Unexpected loop into the middle of parallel steps, expected one to their first";
  const repeated = steps.slice(at - back, at).map(({ id }) => id);
  const idle = skip.find((one) => !repeated.includes(one));
  if (idle !== undefined) return `Unexpected \`${idle}\` in \`skip\`, expected one of the steps that it repeats: ${repeated.join(", ")}`;
  return skip.length > 0 && repeated.every((one) => skip.includes(one))
    ? "Unexpected loop that skips all that it repeats, expected a step to repeat"
    : undefined;
}
