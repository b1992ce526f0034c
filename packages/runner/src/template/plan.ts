import type { Template } from "./template.ts";

/** One line of a plan. */
export interface PlannedStep {
  readonly index: number;
  readonly step: string;
  readonly agent: string | null;
  /** What runs: a program with its arguments as written, or a function. `null` if nothing is defined. */
  readonly run: readonly string[] | string | null;
  /** Conditions and options that affect whether and how the step runs, in words. */
  readonly notes: readonly string[];
}

/** The steps of a template in the order in which they run, without running them. Pure. */
export function planOf({ steps, agents }: Template): readonly PlannedStep[] {
  return steps.map((step, index) => {
    const run = step.run ?? (step.agent === null ? null : (agents[step.agent]?.run ?? null));
    const { loop } = step;
    const notes = [
      step.parallel === null ? undefined : `in parallel with the others of \`${step.parallel}\``,
      step.when === null ? undefined : `when ${step.when}`,
      step.skip_if === null ? undefined : `not if ${step.skip_if}`,
      step.depends_on.length === 0 ? undefined : `after success of ${step.depends_on.join(", ")}`,
      step.once ? "once" : undefined,
      step.retries === 0 ? undefined : `tried ${step.retries + 1} times`,
      step.fallback === null ? undefined : `else by ${step.fallback}`,
      step.continue_on_error ? "continues when it fails" : undefined,
      step.tracks === null ? undefined : `on track ${step.tracks.join(", ")}`,
      step.choices.length === 0 ? undefined : `if ${step.choices.join(" and ")} chosen`,
      step.choices_any.length === 0 ? undefined : `if ${step.choices_any.join(" or ")} chosen`,
      loop === null
        ? undefined
        : `may go back to ${steps[Math.max(0, index - loop.steps)]?.id ?? "?"}, at most ${loop.max_iterations} times${loop.skip.length === 0 ? "" : `, without ${loop.skip.join(", ")}`}`,
      step.trigger === null
        ? undefined
        : `may call ${step.trigger === "" ? "an agent" : step.trigger}`,
      run === null ? "cannot run: it has no command" : undefined,
    ];
    return {
      index,
      step: step.id,
      agent: step.agent,
      run: run === null ? null : "command" in run ? run.command : run.function,
      notes: notes.filter((note) => note !== undefined),
    };
  });
}

/** Describes the steps and callable agents without a defined command, and the functions that the host does not have. */
export function templateRunFaults(
  { steps, agents, dialect }: Template,
  functions: readonly string[] = [],
): readonly string[] {
  const wrong: string[] = [];
  const check = (what: string, run: Template["steps"][number]["run"]): void => {
    const open =
      run !== null && "command" in run && dialect === "radium"
        ? run.command.find((part) => /\$\{\{\w+\}\}/.test(part))
        : undefined;
    if (run === null) wrong.push(`${what} has no command`);
    else if (open !== undefined)
      wrong.push(`${what} leaves \`${open.replaceAll("{{", "{").replaceAll("}}", "}")}\` open`);
    else if ("function" in run && !functions.includes(run.function))
      wrong.push(`${what} needs the function \`${run.function}\``);
  };
  for (const step of steps)
    if (step.run !== null || step.agent === null) check(`step \`${step.id}\``, step.run);
  for (const [id, { run }] of Object.entries(agents)) check(`agent \`${id}\``, run);
  return wrong;
}
