import { resolve } from "node:path";
import { findConfig, loadConfig } from "@bylaw/config";
import {
  createKernel,
  emptyView,
  messageOf,
  type Config,
  type Decision,
  type Kernel,
  type KernelApi,
  type Plugin,
  type ResolvedPlugin,
  type ToolCall,
} from "@bylaw/kernel";
import type { PolicyOptions, PolicySources } from "@bylaw/plugin-policy";
import { DEFAULT_TOOLS, runStateOf, type PolicyPool, type RunState } from "@bylaw/policy-language";
import { POLICY_PLUGIN, bundled, kernelFrom, policyPlugin, type KernelSourceOptions } from "./kernel-source.ts";

/** A kernel whose policies can be read, and exchanged for changed ones. */
export interface PolicyBench {
  readonly kernel: Kernel;
  readonly sources: PolicySources;
  /** What conditions see where there is no run. */
  readonly run: RunState;
  /** The same kernel, deciding by another pool. Only calls that it prepared itself come with their paths resolved. */
  readonly exchanging: () => Promise<ExchangingKernel>;
}

/** A kernel that decides by whatever pool it is given; everything else in it is as configured. */
interface ExchangingKernel {
  prepare(call: ToolCall): Promise<ToolCall>;
  decide(call: ToolCall, pool: PolicyPool): Decision | Promise<Decision>;
}

/** The kernel of a policy or a configuration, with its policies. */
export async function policyBench(options: KernelSourceOptions): Promise<PolicyBench> {
  const kernel = await kernelFrom(options);
  const found = kernel.plugins.find(({ plugin }) => plugin.name === POLICY_PLUGIN);
  const projections = new Map(kernel.declared.projections.map((projection) => [projection.name, projection] as const));
  const configFile = await configFileOf(options);
  const run = runStateOf(projections, emptyView);
  const sources = found === undefined ? NO_POLICY : await sourcesOf(found.instances as readonly ResolvedPolicy[], configFile);
  return {
    kernel,
    sources,
    run,
    async exchanging() {
      const config: Config = configFile === undefined ? {} : (await loadConfig({ file: configFile, bundled: bundled() })).config;
      return exchangingKernel(kernel, config, run);
    },
  };
}

const NO_POLICY: PolicySources = { files: [], tools: DEFAULT_TOOLS };

async function sourcesOf(instances: readonly ResolvedPolicy[], configFile: string | undefined): Promise<PolicySources> {
  const { policySources } = configFile === undefined ? await import("@bylaw/plugin-policy") : await policyPlugin(configFile);
  return policySources(instances);
}

type ResolvedPolicy = ResolvedPlugin["instances"][number] & { readonly options: PolicyOptions };

async function configFileOf({ policy = [], config }: KernelSourceOptions): Promise<string | undefined> {
  if (config !== undefined) return resolve(config);
  return policy.length > 0 ? undefined : await findConfig(process.cwd());
}

function exchangingKernel(
  kernel: Kernel,
  { fallback, approval_mode, enforcement_mode, deadline_ms }: Config,
  run: RunState,
): ExchangingKernel {
  let pool: PolicyPool | undefined;
  const plugins = kernel.plugins.map((resolved) => applied(resolved, () => pool, run));
  const settings = { fallback, approval_mode, enforcement_mode, deadline_ms };
  const probe = createKernel({
    plugins,
    ...(Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Config),
  });
  return {
    prepare: async (call) => (await probe.prepare(call)) as ToolCall,
    decide(call, other) {
      pool = other;
      try {
        return probe.decide(call);
      } catch (error) {
        return probe.refuse(call, "invalid_call", messageOf(error));
      }
    },
  };
}

// One use that stands for all uses of a plugin, as they were resolved; that of the policy asks the pool of the moment.
function applied({ plugin, instances }: ResolvedPlugin, poolNow: () => PolicyPool | undefined, run: RunState): Plugin {
  const { definition } = plugin;
  return {
    ...plugin,
    definition: {
      ...definition,
      pooled: true,
      apply(api) {
        const own = plugin.name === POLICY_PLUGIN ? asking(api, poolNow, run) : api;
        for (const group of definition.pooled ? [instances] : instances.map((one) => [one])) definition.apply(own, group);
      },
    },
  };
}

function asking(api: KernelApi, poolNow: () => PolicyPool | undefined, run: RunState): KernelApi {
  const { beforeToolCall } = api.hooks;
  const ask: typeof beforeToolCall.tapPromise = (name, _, options) =>
    beforeToolCall.tapPromise(name, async (call) => poolNow()?.evaluateConditional(call, run), options);
  const askNow: typeof beforeToolCall.tap = (name, _, options) => beforeToolCall.tap(name, (call) => poolNow()?.evaluate(call), options);
  return { ...api, hooks: { ...api.hooks, beforeToolCall: { ...beforeToolCall, tap: askNow, tapPromise: ask } } };
}
