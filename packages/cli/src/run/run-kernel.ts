import { resolve } from "node:path";
import { createConfiguredKernel, findConfig, isBylawError, packageLoaderFor } from "@bylaw/config";
import { createKernel, isPlugin, type Config, type Kernel, type Plugin } from "@bylaw/kernel";
import type * as CheckpointPlugin from "@bylaw/plugin-checkpoint";
import type * as ConstitutionPlugin from "@bylaw/plugin-constitution";
import type * as CoordinatorPlugin from "@bylaw/plugin-coordinator";
import type * as LoopPlugin from "@bylaw/plugin-loop";
import type * as TriggerPlugin from "@bylaw/plugin-trigger";
import type * as VibecheckPlugin from "@bylaw/plugin-vibecheck";
import { loopOptionsOf, triggerOptionsOf, workflow, type Template } from "@bylaw/runner";
import { bundled } from "../decide/kernel-source.ts";
import { whileLoading } from "../io/exit-code.ts";

/** The plugins of every run, whatever its configuration says, by purpose. */
const OWN = {
  loop: "@bylaw/plugin-loop",
  trigger: "@bylaw/plugin-trigger",
  checkpoint: "@bylaw/plugin-checkpoint",
  vibecheck: "@bylaw/plugin-vibecheck",
  constitution: "@bylaw/plugin-constitution",
} as const;
const COORDINATOR = { coordinator: "@bylaw/plugin-coordinator" } as const;

/** The plugin modules of a kernel. Their state must be read with the same copy of each module. */
export interface RunPlugins {
  readonly loop: typeof LoopPlugin;
  readonly trigger: typeof TriggerPlugin;
  readonly checkpoint: typeof CheckpointPlugin;
  readonly vibecheck: typeof VibecheckPlugin;
  readonly constitution: typeof ConstitutionPlugin;
  /** Set if the coordinator was requested. */
  readonly coordinator?: typeof CoordinatorPlugin;
}

/** The kernel of a workflow and its plugins. */
export interface RunKernel {
  readonly kernel: Kernel;
  /** Absolute path of the configuration. Undefined if there is none. */
  readonly file: string | undefined;
  readonly plugins: RunPlugins;
}

/**
 * The kernel of a run: its configuration, if any, and the plugins that grant requests of agents. Loops and calls of agents come
 * from the template; without one, only the configuration grants them.
 */
export async function kernelOf(
  template: Template | undefined,
  config: string | undefined,
  { coordinator = false }: { readonly coordinator?: boolean } = {},
): Promise<RunKernel> {
  const names = coordinator ? { ...OWN, ...COORDINATOR } : OWN;
  const file = config === undefined ? await nearestConfig() : resolve(config);
  if (file === undefined) {
    const plugins = await ownPlugins(coordinator);
    return {
      kernel: createKernel(
        { plugins: instancesOf(plugins, template, new Set()) },
        { name: "bylaw run" },
      ),
      file,
      plugins,
    };
  }
  return whileLoading(file, async () => {
    // Loaded with the configuration's own packages, because a kernel refuses two copies of one plugin.
    const load = await packageLoaderFor(file, bundled());
    const entries = Object.entries(names).map(async ([key, name]) => [key, await load(name)]);
    const plugins = Object.fromEntries(await Promise.all(entries)) as unknown as RunPlugins;
    const { kernel } = await createConfiguredKernel({
      ...{ file, bundled: bundled() },
      add: (_file, loaded) => instancesOf(plugins, template, namesIn(loaded)),
    });
    return { kernel, file, plugins };
  });
}

// Imported by name, so that they are the copies that the command itself uses.
const ownPlugins = async (coordinator: boolean): Promise<RunPlugins> => ({
  loop: await import("@bylaw/plugin-loop"),
  trigger: await import("@bylaw/plugin-trigger"),
  checkpoint: await import("@bylaw/plugin-checkpoint"),
  vibecheck: await import("@bylaw/plugin-vibecheck"),
  constitution: await import("@bylaw/plugin-constitution"),
  ...(coordinator ? { coordinator: await import("@bylaw/plugin-coordinator") } : {}),
});

/** The nearest configuration in the working directory or above. Undefined if there is none. */
export async function nearestConfig(): Promise<string | undefined> {
  try {
    return await findConfig(process.cwd());
  } catch (error) {
    if (isBylawError(error) && error.code === "BYLAW_CONFIG_MISSING") return undefined;
    throw error;
  }
}

/** The names of all plugins of a configuration, including those of its rulesets. */
export function namesIn({
  plugins = [],
  extends: rulesets = [],
}: Pick<Config, "plugins" | "extends">): ReadonlySet<string> {
  const own = plugins.filter(isPlugin).map(({ name }) => name);
  return new Set([...own, ...rulesets.flatMap((ruleset) => [...namesIn(ruleset)])]);
}

function instancesOf(
  { loop, trigger, checkpoint, vibecheck, constitution, coordinator }: RunPlugins,
  template: Template | undefined,
  present: ReadonlySet<string>,
): readonly Plugin[] {
  const called = template === undefined ? undefined : triggerOptionsOf(template);
  return [
    ...(template === undefined ? [] : [loop.loop(loopOptionsOf(template))]),
    ...(called === undefined ? [] : [trigger.trigger(called)]),
    ...(present.has(OWN.checkpoint) ? [] : [checkpoint.checkpoint()]),
    ...(present.has(OWN.vibecheck) ? [] : [vibecheck.vibecheck()]),
    ...(present.has(OWN.constitution) ? [] : [constitution.constitution()]),
    ...(coordinator === undefined || present.has(COORDINATOR.coordinator)
      ? []
      : [coordinator.coordinator()]),
    workflow(),
  ];
}
