import { resolve } from "node:path";
import { findConfig, loadConfig } from "@bylaw/config";
import {
  createKernel,
  isJsonObject,
  messageOf,
  type Config,
  type Decision,
  type Json,
  type JsonObject,
  type Kernel,
  type KernelApi,
  type Plugin,
  type Projection,
  type ToolCall,
  type View,
} from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";
import { DEFAULT_TOOLS, runStateOf, type PolicyPool, type RunState } from "@bylaw/policy-language";
import type { CasePast } from "./case-past.ts";
import {
  POLICY_PLUGIN,
  bundled,
  loadKernelFor,
  policyPlugin,
  policySourcesOf,
  type KernelSourceOptions,
} from "../decide/kernel-source.ts";

/** Not applied where rules are exchanged: a call that was written down has no token, and no rule changes that. */
const TOKENS_PLUGIN = "@bylaw/plugin-tokens";

type ResolvedPlugin = Kernel["plugins"][number];

interface CaseViews {
  readonly of: (past: CasePast | undefined) => View;
  readonly names: readonly string[];
}

/** A kernel for tests of policies: its policies can be read, and replaced by changed ones. */
export interface PolicyBench {
  readonly kernel: Kernel;
  readonly sources: PolicyPlugin.PolicySources;
  /** The projected states of a run with this past, and the names of all projections. Without a past there is no run. */
  readonly views: CaseViews;
  /** The same state, as conditions of rules see it. */
  readonly runOf: (past: CasePast | undefined) => RunState;
  /** The same kernel, but with exchangeable rules. Only calls prepared by that kernel have their paths resolved. */
  readonly exchanging: () => Promise<ExchangingKernel>;
}

/** A kernel that takes the pool of rules anew for each decision. Everything else is as configured. */
interface ExchangingKernel {
  prepare(call: ToolCall): Promise<ToolCall>;
  decide(
    call: ToolCall,
    pool: PolicyPool,
    past: CasePast | undefined,
  ): Decision | Promise<Decision>;
}

/** Loads the kernel of the given policies or configuration, together with its policies. */
export async function policyBench(options: KernelSourceOptions): Promise<PolicyBench> {
  const kernel = await loadKernelFor(options);
  return await benchOf(kernel, await configFileOf(options));
}

/** The bench of a loaded kernel. `configFile`: its configuration, if it has one. */
export async function benchOf(
  kernel: Kernel,
  configFile: string | undefined,
): Promise<PolicyBench> {
  const projections = new Map(
    kernel.declared.projections.map((projection) => [projection.name, projection] as const),
  );
  const runOf = (view: View): RunState => runStateOf(projections, view);
  const decides = kernel.plugins.some(({ plugin }) => plugin.name === POLICY_PLUGIN);
  const sources = decides ? policySourcesOf(kernel, await pluginOf(configFile)) : NO_POLICY;
  return {
    kernel,
    sources,
    views: viewsOf(kernel),
    runOf: (past) => runOf(viewOf(past)),
    async exchanging() {
      const config: Config =
        configFile === undefined
          ? {}
          : (await loadConfig({ file: configFile, bundled: bundled() })).config;
      return exchangingKernel(kernel, config, runOf);
    },
  };
}

/** What the cases of a kernel see of their runs. */
export const viewsOf = ({ declared }: Kernel): CaseViews => ({
  of: viewOf,
  names: declared.projections.map(({ name }) => name),
});

type RunOf = (view: View) => RunState;

const NO_RUN: View = Object.assign(<State>({ initial }: Projection<State>): State => initial, {
  empty: true,
} as const);

// A given table is merged over the initial state, so that a case states only the fields that it needs.
function viewOf(past: CasePast | undefined): View {
  if (past === undefined) return NO_RUN;
  const { states, events } = past;
  return <State>(projection: Projection<State>): State => {
    const { name, initial } = projection;
    const folded = events.reduce((state, event) => projection.reduce(state, event), initial);
    const given = Object.hasOwn(states, name) ? states[name] : undefined;
    if (given === undefined) return folded;
    const over = isJsonObject(given) && isJsonObject(folded as Json);
    return (over ? { ...(folded as JsonObject), ...given } : given) as State;
  };
}

const NO_POLICY: PolicyPlugin.PolicySources = { files: [], tools: DEFAULT_TOOLS };

const pluginOf = async (configFile: string | undefined): Promise<typeof PolicyPlugin> =>
  configFile === undefined ? await import("@bylaw/plugin-policy") : await policyPlugin(configFile);

async function configFileOf({
  policy = [],
  config,
}: KernelSourceOptions): Promise<string | undefined> {
  if (config !== undefined) return resolve(config);
  return policy.length > 0 ? undefined : await findConfig(process.cwd());
}

function exchangingKernel(
  kernel: Kernel,
  { fallback, approval_mode, enforcement_mode, deadline_ms }: Config,
  runOf: RunOf,
): ExchangingKernel {
  let pool: PolicyPool | undefined;
  const plugins = kernel.plugins.map((resolved) => applied(resolved, () => pool, runOf));
  const settings = { fallback, approval_mode, enforcement_mode, deadline_ms };
  const probe = createKernel({
    plugins,
    ...(Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    ) as Config),
  });
  return {
    prepare: async (call) => (await probe.prepare(call)) as ToolCall,
    decide(call, other, past) {
      pool = other;
      try {
        return probe.decidePrepared(call, viewOf(past));
      } catch (error) {
        return probe.refuse(call, "invalid_call", messageOf(error));
      }
    },
  };
}

// Applies all resolved uses of a plugin as one. The policy plugin asks the pool that is current at the time of the call.
function applied(
  { plugin, instances }: ResolvedPlugin,
  poolNow: () => PolicyPool | undefined,
  runOf: RunOf,
): Plugin {
  const { definition } = plugin;
  return {
    ...plugin,
    definition: {
      ...definition,
      shared: true,
      apply(api) {
        if (plugin.name === TOKENS_PLUGIN) return;
        const own = plugin.name === POLICY_PLUGIN ? asking(api, poolNow, runOf) : api;
        for (const group of definition.shared ? [instances] : instances.map((one) => [one]))
          definition.apply(own, group);
      },
    },
  };
}

function asking(api: KernelApi, poolNow: () => PolicyPool | undefined, runOf: RunOf): KernelApi {
  const { beforeToolCall } = api.hooks;
  const ask: typeof beforeToolCall.tapPromise = (name, _, options) =>
    beforeToolCall.tapPromise(
      name,
      async (call, view) => poolNow()?.evaluateConditional(call, runOf(view)),
      options,
    );
  const askNow: typeof beforeToolCall.tap = (name, _, options) =>
    beforeToolCall.tap(name, (call, view) => poolNow()?.evaluate(call, runOf(view)), options);
  return {
    ...api,
    hooks: { ...api.hooks, beforeToolCall: { ...beforeToolCall, tap: askNow, tapPromise: ask } },
  };
}
