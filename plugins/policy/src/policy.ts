import { definePlugin, type Json, type PluginInstance, type ToolCall } from "@bylaw/kernel";
import { POLICY_CODES, compilePolicy, withoutRules, type PolicyFinding } from "@bylaw/policy-language";
import manifest from "../package.json" with { type: "json" };
import { digestOf, loadPolicy } from "./load.ts";
import { mergeTools } from "./merge-tools.ts";
import { policyOptions, type PolicyOptions } from "./options.ts";
import { resolvePaths } from "./real-paths.ts";

type Instance = PluginInstance<PolicyOptions>;

/** Decides tool calls by TOML policy files. All its uses make one pool of rules and one vote. */
export const policy = definePlugin({
  name: manifest.name,
  version: manifest.version,
  grants: true,
  codes: POLICY_CODES,
  options: policyOptions,
  rules: (instance) => {
    const { rules } = compilePolicy(loadPolicy(instance).files);
    return rules.map(({ name, final }) => ({ name, final }));
  },
  applyPool(kernel, instances) {
    const policies = instances.map((instance) => ({ ...loadPolicy(instance), dropped: instance.dropped }));
    const tools = mergeTools(policies.map((loaded) => loaded.tools));
    // `without` names a rule of one use; the same name in another use stays.
    const files = policies.flatMap((loaded) => loaded.files.map((file) => withoutRules(file, loaded.dropped)));
    const protectedFiles = policies.flatMap(({ sources }) => sources);
    const pool = compilePolicy(files, { tools, protectedFiles });
    const explain = (call: ToolCall): Json => pool.explain(call) as unknown as Json;
    const { beforeToolCall } = kernel.hooks;
    if (pool.conditional) beforeToolCall.tapPromise("rules", (call) => pool.evaluateConditional(call), { explain });
    else beforeToolCall.tap("rules", (call) => pool.evaluate(call), { explain });
    if (pool.fallback !== undefined) kernel.fallback(pool.fallback);
    kernel.editsWorkspace((subject) => subject.hook === "beforeToolCall" && pool.editsWorkspace(subject));
    kernel.digest(digestOf(policies));
    kernel.prepare("paths", (subject) =>
      subject.hook === "beforeToolCall" ? resolvePaths(subject, pool.pathsToResolve(subject)) : undefined,
    );
  },
});

/** What is doubtful in the policies of one use: former spellings, lowered rules. Throws what loading them throws. */
export function policyWarnings(instance: Pick<Instance, "options" | "configFile">): readonly PolicyFinding[] {
  return loadPolicy({ from: "", dropped: new Set(), ...instance }).files.flatMap(({ warnings }) => warnings);
}
