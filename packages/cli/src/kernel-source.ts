import { resolve } from "node:path";
import { createConfiguredKernel, findConfig, packagesBeside, type BundledPackages } from "@bylaw/config";
import { createKernel, type Kernel } from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";
import { findingLine } from "./fault.ts";
import { whileLoading } from "./outcome.ts";

/** Where the rules come from. */
export interface KernelSourceOptions {
  /** Policy files, relative to the working directory; they are the operator's. */
  readonly policy?: readonly string[];
  /** A configuration file. Without it and without policies, the nearest one from the working directory upwards. */
  readonly config?: string;
}

/** The plugin that reads policy files. */
export const POLICY_PLUGIN = "@bylaw/plugin-policy";

/** Packages that a project may use without installing them. */
export const bundled = (): BundledPackages =>
  Object.fromEntries(
    ["@bylaw/kernel", "@bylaw/config", "@bylaw/policy-language", POLICY_PLUGIN, "zod"].map((name) => [name, import.meta.resolve(name)]),
  );

/** The kernel that decides. Policies alone, without a configuration, leave nothing else in force. */
export async function kernelFrom({ policy = [], config }: KernelSourceOptions): Promise<Kernel> {
  const files = policy.map((file) => resolve(file));
  if (config === undefined && files.length > 0) {
    const plugin = await import("@bylaw/plugin-policy");
    const kernel = createKernel({ plugins: [plugin.policy({ files, operator: true, discover: "none" })] }, { name: "--policy" });
    warn(kernel, plugin);
    return kernel;
  }
  const file = config === undefined ? await findConfig(process.cwd()) : resolve(config);
  return await whileLoading(file, async () => {
    const { kernel } = await createConfiguredKernel({
      file,
      bundled: bundled(),
      add: async () => {
        if (files.length === 0) return [];
        const plugin = await policyPlugin(file);
        return [plugin.policy({ files, operator: true, discover: "none" })];
      },
    });
    if (kernel.plugins.some(({ plugin }) => plugin.name === POLICY_PLUGIN)) warn(kernel, await policyPlugin(file));
    return kernel;
  });
}

/** The policy plugin from where the configuration has its own: two copies of one plugin in one kernel are refused. */
export async function policyPlugin(configFile: string): Promise<typeof PolicyPlugin> {
  const load = await packagesBeside(configFile, bundled());
  return (await load(POLICY_PLUGIN)) as unknown as typeof PolicyPlugin;
}

// What a policy's author should hear, without keeping the policy from deciding.
function warn(kernel: Kernel, { policyWarnings }: typeof PolicyPlugin): void {
  for (const { plugin, instances } of kernel.plugins) {
    if (plugin.name !== POLICY_PLUGIN) continue;
    for (const instance of instances) {
      const warnings = policyWarnings(instance as Parameters<typeof policyWarnings>[0]);
      for (const warning of warnings) process.stderr.write(`${findingLine(warning)}\n`);
    }
  }
}
