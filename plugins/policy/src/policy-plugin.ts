import {
  definePlugin,
  type Json,
  type JsonObject,
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
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import manifest from "../package.json" with { type: "json" };
import { askedProjections } from "./asked-projections.ts";
import { calls } from "./calls.ts";
import { loadPool } from "./load-pool.ts";
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
      const { files, tools, sources, digest } = loadPool(instances, places());
      const pool = compilePolicy(files, {
        tools,
        protectedFiles: sources,
        pathsFact: manifest.name,
        digest: shortDigest,
      });
      const { beforeToolCall } = kernel.hooks;
      const asked = new Map<string, Projection<unknown>>();
      if (pool.projections.has(calls.name)) kernel.projection(calls);
      if (pool.marks !== undefined) {
        const marks = marksOf(pool.marks);
        kernel.projection(marks);
        asked.set(marks.name, marks);
      }
      if (pool.conditional)
        kernel.onSeal(({ projections }) => {
          for (const [name, found] of askedProjections(pool, projections)) asked.set(name, found);
        });
      kernel.guard("marks", (_, event) => unknownMark(event, pool.marks?.names));
      const runOf = (view: View): RunState => runStateOf(asked, view);
      const explain = (call: ToolCall, view: View): Json =>
        pool.explain(call, runOf(view)) as unknown as Json;
      if (pool.conditional)
        beforeToolCall.tapPromise(
          "rules",
          (call, view) => pool.evaluateConditional(call, runOf(view)),
          { explain },
        );
      else
        beforeToolCall.tap("rules", (call, view) => pool.evaluate(call, runOf(view)), { explain });
      if (pool.fallback !== undefined) kernel.fallback(pool.fallback);
      kernel.unmatched((call) => pool.unmatched(call));
      kernel.letThrough("yolo", (call) => pool.isHarmless(call));
      kernel.letThrough("autoEdit", (call) => pool.editsWorkspace(call));
      kernel.digest(digest());
      kernel.prepare("paths", (subject) =>
        subject.hook === "beforeToolCall" ? factsOf(pool, subject) : undefined,
      );
    },
  });

function factsOf(pool: PolicyPool, call: ToolCall): JsonObject | undefined {
  const paths = resolvePaths(call, pool.pathsToResolve(call), {
    globs: pool.globsToResolve(call),
    preparation: call,
  });
  if (pool.marks === undefined) return paths;
  // Marks are judged with resolved links, like rules.
  const linked =
    paths === undefined ? call : { ...call, facts: { ...call.facts, [manifest.name]: paths } };
  return { ...paths, marks: pool.marks.recordOf(linked) };
}
