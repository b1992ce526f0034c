import { BylawError, type ToolCall, type View } from "@bylaw/kernel";
import { defineExperiment, variantOf, type Experiment } from "@bylaw/log/experiment";
import type { PolicyPool } from "@bylaw/policy-language";
import type { LoadedPool } from "./load-pool.ts";
import type { PolicyInstance, PolicyOptions } from "./options.ts";

type Use = Pick<PolicyInstance, "options" | "configFile" | "excludedRules">;
type ExperimentOption = NonNullable<PolicyOptions["experiment"]>;

/** The experiment of the uses of one kernel. Throws BYLAW_POLICY_INVALID if there are two. */
export function experimentOf(instances: readonly Use[]): ExperimentOption | undefined {
  const [found, second] = instances.flatMap(({ options }) => options.experiment ?? []);
  if (second !== undefined)
    throw invalid(
      `\`${found?.name ?? ""}\` and \`${second.name}\` are two experiments at once`,
      "Finish one of them first",
    );
  return found;
}

/** One use with version `b` of its files. */
export function withVersionB<U extends Use>(use: U): U {
  const { experiment, text: _, compiled: __, ...options } = use.options;
  return experiment === undefined
    ? use
    : { ...use, options: { ...options, files: experiment.files } };
}

/** The pool that decides about each call. */
export interface PoolChoice {
  readonly pools: readonly PolicyPool[];
  /** The pool for a call, by the log. */
  choose(call: ToolCall, view: View): PolicyPool;
  /** The pool that {@link PoolChoice.choose} returned last for this call. */
  chosen(call: ToolCall): PolicyPool;
}

export const onlyPool = (pool: PolicyPool): PoolChoice => ({
  pools: [pool],
  choose: () => pool,
  chosen: () => pool,
});

/** Version `b` decides about the tasks that the log assigns to it, and `a` about everything else, also where there is no log. */
export function poolByVariant(experiment: Experiment, a: PolicyPool, b: PolicyPool): PoolChoice {
  const chosen = new WeakMap<ToolCall, PolicyPool>();
  return {
    pools: [a, b],
    choose(call, view) {
      const pool = variantOf(view, experiment, call.task) === "b" ? b : a;
      chosen.set(call, pool);
      return pool;
    },
    chosen: (call) => chosen.get(call) ?? a,
  };
}

export const experimentFor = (
  { name, share }: ExperimentOption,
  a: LoadedPool,
  b: LoadedPool,
): Experiment => defineExperiment({ name, share, digests: { a: a.digest(), b: b.digest() } });

/** Throws BYLAW_POLICY_INVALID if two versions differ in what a kernel has only once. */
export function checkComparable(a: PolicyPool, b: PolicyPool): void {
  const differs =
    a.fallback !== b.fallback
      ? "`default`"
      : a.marks?.digest !== b.marks?.digest
        ? "marks"
        : undefined;
  if (differs !== undefined)
    throw invalid(
      `The two versions of an experiment differ in their ${differs}`,
      "Both versions need the same, because a run has it only once",
    );
}

const invalid = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_POLICY_INVALID", message, fix });
