import { definePlugin, type Json, type ToolCall } from "@bylaw/kernel";
import { POLICY_CODES, compilePolicy, runStateOf } from "@bylaw/policy-language";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import manifest from "../package.json" with { type: "json" };
import { askedProjections, type AskedProjections } from "./asked-projections.ts";
import { calls } from "./calls.ts";
import { loadPool } from "./load-pool.ts";
import { loadPolicy } from "./load.ts";
import { policyOptions, type PolicyInstance } from "./options.ts";
import type { Places } from "./places.ts";
import { plainOptions } from "./plain-options.ts";

// The schema, which is asked only about what is not plainly right.
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

/** The plugin, with the places where it finds policies. No option names them: whoever writes a configuration could move them. */
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
      });
      const explain = (call: ToolCall): Json => pool.explain(call) as unknown as Json;
      const { beforeToolCall } = kernel.hooks;
      if (pool.conditional) {
        let asked: AskedProjections = new Map();
        if (pool.projections.has(calls.name)) kernel.projection(calls);
        kernel.onSeal(({ projections }) => {
          asked = askedProjections(pool, projections);
        });
        beforeToolCall.tapPromise(
          "rules",
          (call, view) => pool.evaluateConditional(call, runStateOf(asked, view)),
          { explain },
        );
      } else beforeToolCall.tap("rules", (call) => pool.evaluate(call), { explain });
      if (pool.fallback !== undefined) kernel.fallback(pool.fallback);
      kernel.unmatched((call) => pool.unmatched(call));
      kernel.letThrough("yolo", (call) => pool.isHarmless(call));
      kernel.letThrough("autoEdit", (call) => pool.editsWorkspace(call));
      kernel.digest(digest());
      kernel.prepare("paths", (subject) =>
        subject.hook === "beforeToolCall"
          ? resolvePaths(subject, pool.pathsToResolve(subject), {
              globs: pool.globsToResolve(subject),
              preparation: subject,
            })
          : undefined,
      );
    },
  });
