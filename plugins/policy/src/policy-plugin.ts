import {
  definePlugin,
  type Json,
  type JsonObject,
  type KernelApi,
  type Projection,
  type ToolCall,
  type View,
} from "@bylaw/kernel";
import {
  POLICY_CODES,
  compilePolicy,
  runStateOf,
  type PolicyPool,
  type RunState,
} from "@bylaw/policy-language";
import { lineFacts, resolvePaths } from "@bylaw/policy-language/real-paths";
import manifest from "../package.json" with { type: "json" };
import { askedProjections } from "./asked-projections.ts";
import { calls } from "./calls.ts";
import {
  checkComparable,
  experimentFor,
  experimentOf,
  onlyPool,
  poolByVariant,
  withVersionB,
  type PoolChoice,
} from "./experiment.ts";
import { loadPool, type LoadedPool } from "./load-pool.ts";
import { loadPolicy } from "./load.ts";
import { marksOf, shortDigest, unknownMark } from "./marks.ts";
import { policyOptions, type PolicyInstance } from "./options.ts";
import type { Places } from "./places.ts";
import { plainOptions } from "./plain-options.ts";

// The schema, used only for options that are not plainly valid.
const quicklyParsed: typeof policyOptions = Object.create(policyOptions, {
  safeParse: {
    value: (given: unknown) => {
      const data = plainOptions(given);
      return data === undefined ? policyOptions.safeParse(given) : { success: true, data };
    },
  },
  toJSONSchema: {
    value: (...params: Parameters<typeof policyOptions.toJSONSchema>) =>
      policyOptions.toJSONSchema(...params),
  },
}) as typeof policyOptions;

/**
 * The plugin, with the places where it finds policies. They are no option, because whoever writes a configuration could then move
 * them.
 */
export const createPolicyPlugin = (places: () => Places) =>
  definePlugin({
    name: manifest.name,
    version: manifest.version,
    grants: true,
    codes: POLICY_CODES,
    options: quicklyParsed,
    rules: (instance: PolicyInstance) => {
      const { rules } = compilePolicy(loadPolicy(instance).files);
      return rules.map(({ name, final }) => ({ name, final }));
    },
    applyAll(kernel, instances) {
      const pool = choosePool(kernel, instances, places());
      const { beforeToolCall } = kernel.hooks;
      const asked = new Map<string, Projection<unknown>>();
      const { pools } = pool;
      if (pools.some(({ projections }) => projections.has(calls.name))) kernel.projection(calls);
      const [marked] = pools.flatMap(({ marks }) => marks ?? []);
      if (marked !== undefined) {
        const marks = marksOf(marked);
        kernel.projection(marks);
        asked.set(marks.name, marks);
      }
      const conditional = pools.filter((one) => one.conditional);
      if (conditional.length > 0)
        kernel.onSeal(({ projections }) => {
          for (const one of conditional)
            for (const [name, found] of askedProjections(one, projections)) asked.set(name, found);
        });
      kernel.guard("marks", (_, event) => unknownMark(event, marked?.names));
      const runOf = (view: View): RunState => runStateOf(asked, view);
      const explain = (call: ToolCall, view: View): Json =>
        pool.choose(call, view).explain(call, runOf(view)) as unknown as Json;
      if (conditional.length > 0)
        beforeToolCall.tapPromise(
          "rules",
          (call, view) => pool.choose(call, view).evaluateConditional(call, runOf(view)),
          { explain },
        );
      else
        beforeToolCall.tap(
          "rules",
          (call, view) => pool.choose(call, view).evaluate(call, runOf(view)),
          { explain },
        );
      const fallback = pools[0]?.fallback;
      if (fallback !== undefined) kernel.fallback(fallback);
      kernel.unmatched((call) => pool.chosen(call).unmatched(call));
      kernel.letThrough("yolo", (call) => pool.chosen(call).isHarmless(call));
      kernel.letThrough("autoEdit", (call) => pool.chosen(call).editsWorkspace(call));
      kernel.prepare("paths", (subject) =>
        subject.hook === "beforeToolCall" ? factsOf(pools, subject) : undefined,
      );
    },
  });

/** Loads the policies, and version `b` of them during an experiment. */
function choosePool(
  kernel: KernelApi,
  instances: readonly PolicyInstance[],
  places: Places,
): PoolChoice {
  const option = experimentOf(instances);
  const a = loadPool(instances, places);
  const b = option === undefined ? undefined : loadPool(instances.map(withVersionB), places);
  // No call may change either version.
  const protectedFiles = [...a.sources, ...(b?.sources ?? [])];
  const compile = ({ files, tools, digest }: LoadedPool): PolicyPool => {
    kernel.digest(digest);
    return compilePolicy(files, {
      ...{ tools, protectedFiles, pathsFact: manifest.name, digest: shortDigest },
    });
  };
  if (option === undefined || b === undefined) return onlyPool(compile(a));
  const [poolA, poolB] = [compile(a), compile(b)];
  checkComparable(poolA, poolB);
  const experiment = experimentFor(option, a, b);
  kernel.projection(experiment);
  return poolByVariant(experiment, poolA, poolB);
}

function factsOf(pools: readonly PolicyPool[], subject: ToolCall): JsonObject | undefined {
  const line = lineFacts(subject);
  const call = line === undefined ? subject : withFacts(subject, line);
  const resolved = resolvePaths(
    call,
    pools.flatMap((pool) => pool.pathsToResolve(call)),
    { globs: pools.flatMap((pool) => pool.globsToResolve(call)), preparation: subject },
  );
  const paths = line === undefined ? resolved : { ...resolved, ...line };
  const [marks] = pools.flatMap((pool) => pool.marks ?? []);
  if (marks === undefined) return paths;
  // Marks are judged with resolved links, like rules.
  const linked = paths === undefined ? call : withFacts(call, paths);
  return { ...paths, marks: marks.recordOf(linked) };
}

const withFacts = (call: ToolCall, facts: JsonObject): ToolCall => ({
  ...call,
  facts: { ...call.facts, [manifest.name]: facts },
});
