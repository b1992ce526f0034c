import { definePlugin, type Json, type PluginInstance } from "@bylaw/kernel";
import { PATHS_PLUGIN, POLICY_CODES, compilePolicy, type PolicyFile, type PolicyFinding, type PolicyPool } from "@bylaw/policy-language";
import { digestOf, loadPolicy } from "./load.ts";
import { mergeTools } from "./merge-tools.ts";
import { policyOptions, type PolicyOptions } from "./options.ts";
import { resolvePaths } from "./real-paths.ts";

type Instance = PluginInstance<PolicyOptions>;

/** Decides tool calls by TOML policy files. All its uses make one pool of rules and one vote. */
export const policy = definePlugin({
  name: PATHS_PLUGIN,
  version: "0.1.0",
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
    const pool = poolOf(policies, tools);
    kernel.hooks.beforeToolCall.tap("rules", (call) => pool.evaluate(call), { explain: (call) => pool.explain(call) as unknown as Json });
    if (pool.fallback !== undefined) kernel.fallback(pool.fallback);
    kernel.editsWorkspace((subject) => subject.hook === "beforeToolCall" && pool.editsWorkspace(subject));
    kernel.digest(digestOf(policies));
    kernel.prepare("paths", (subject) =>
      subject.hook === "beforeToolCall" ? resolvePaths(subject, pool.pathsToResolve(subject)) : undefined,
    );
  },
});

function poolOf(
  policies: readonly { readonly files: readonly PolicyFile[]; readonly dropped: ReadonlySet<string> }[],
  tools: ReturnType<typeof mergeTools>,
): PolicyPool {
  // `without` names a rule of one use; the same name in another use stays.
  const files = policies.flatMap(({ files, dropped }) =>
    files.map((file) => ({
      ...file,
      rules: file.rules.filter(({ source }) => source.final || !dropped.has(source.name)),
      ...(file.radium === undefined ? {} : { radium: file.radium.without(dropped) }),
    })),
  );
  return compilePolicy(files, { tools });
}

/** What is doubtful in the policies of one use: former spellings, lowered rules. Throws what loading them throws. */
export function policyWarnings(instance: Pick<Instance, "options" | "configFile">): readonly PolicyFinding[] {
  return loadPolicy({ from: "", dropped: new Set(), ...instance }).files.flatMap(({ warnings }) => warnings);
}
