import { checkArgument, defineProjection, type Projection, type View } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "./tree.ts";

/** The event that assigns a task, or a whole run, to one version of an experiment. */
export const EXPERIMENT_ASSIGNED = "experiment_assigned";

export const VARIANTS = ["a", "b"] as const;
/** One of the two versions that an experiment compares. */
export type Variant = (typeof VARIANTS)[number];

/** What is recorded about an experiment. */
export interface ExperimentTerms {
  readonly name: string;
  /** The share of tasks that get version `b`, from 0 to 1. */
  readonly share: number;
  /** The SHA-256 digest of what each version decides by. */
  readonly digests: Readonly<Record<Variant, string>>;
}

/** The versions of a run. */
export interface Assignments {
  /** For everything that belongs to no task; `null` before its first decision. */
  readonly run: Variant | null;
  readonly tasks: Tree<Variant>;
}

/** A projection that knows which version decides. A plugin declares it like any other, and the run assigns what it lacks. */
export interface Experiment extends Projection<Assignments> {
  readonly experiment: ExperimentTerms;
}

/**
 * Defines an experiment. Only a run records its events, and the first one for a task is final. Throws BYLAW_PLUGIN_INVALID unless the
 * argument is an object literal.
 */
export function defineExperiment(given: ExperimentTerms): Experiment {
  const experiment = checkArgument("defineExperiment", "an experiment", given, {
    code: "BYLAW_PLUGIN_INVALID",
  });
  const projection = defineProjection<Assignments>({
    name: `bylaw/experiment/${experiment.name}`,
    version: 1,
    scope: "task",
    initial: { run: null, tasks: null },
    reduce(state, { event_type, task_id, details }) {
      if (event_type !== EXPERIMENT_ASSIGNED || details["experiment"] !== experiment.name)
        return state;
      if (assignedIn(state, task_id) !== undefined) return state;
      const assigned: Variant = details["variant"] === "b" ? "b" : "a";
      return task_id === null
        ? { ...state, run: assigned }
        : { ...state, tasks: treePut(state.tasks, task_id, assigned) };
    },
  });
  return { ...projection, experiment };
}

/** The version that decides about a task, or about what belongs to none. `undefined` if none is assigned. */
export const variantOf = (
  view: View,
  experiment: Experiment,
  task: string | null | undefined,
): Variant | undefined => assignedIn(view(experiment), task);

const assignedIn = (
  { run, tasks }: Assignments,
  task: string | null | undefined,
): Variant | undefined =>
  task === null || task === undefined ? (run ?? undefined) : treeGet(tasks, task);

export const experimentsIn = (projections: readonly Projection<unknown>[]): readonly Experiment[] =>
  projections.filter((projection): projection is Experiment => "experiment" in projection);
