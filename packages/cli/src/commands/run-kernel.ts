import { resolve } from "node:path";
import { findConfig, isBylawError, loadConfig, packagesBeside } from "@bylaw/config";
import { createKernel, isPlugin, type Config, type Kernel, type Plugin } from "@bylaw/kernel";
import { loopOptionsOf, triggerOptionsOf, workflow, type Template } from "@bylaw/runner";
import { bundled } from "../kernel-source.ts";
import { whileLoading } from "../outcome.ts";

const LOOP = "@bylaw/plugin-loop";
const TRIGGER = "@bylaw/plugin-trigger";
const CHECKPOINT = "@bylaw/plugin-checkpoint";
const VIBECHECK = "@bylaw/plugin-vibecheck";

/** What a workflow runs under. */
export interface RunKernel {
  readonly kernel: Kernel;
  /** Absolute path; `undefined` where there is no configuration. */
  readonly file: string | undefined;
}

/** The kernel of a template: its configuration, where there is one, and the plugins that grant what its steps may ask for. */
export async function kernelOf(template: Template, config: string | undefined): Promise<RunKernel> {
  const file = config === undefined ? await nearest() : resolve(config);
  if (file === undefined)
    return { kernel: createKernel({ plugins: await pluginsOf(template, new Set(), undefined) }, { name: "bylaw run" }), file };
  return whileLoading(file, async () => {
    const { config: loaded } = await loadConfig({ file, bundled: { ...bundled(), ...behaviors() } });
    const plugins = await pluginsOf(template, namesIn(loaded), file);
    return { kernel: createKernel({ ...loaded, plugins: [...(loaded.plugins ?? []), ...plugins] }, { configFile: file }), file };
  });
}

async function nearest(): Promise<string | undefined> {
  try {
    return await findConfig(process.cwd());
  } catch (error) {
    if (isBylawError(error) && error.code === "BYLAW_CONFIG_MISSING") return undefined;
    throw error;
  }
}

const behaviors = (): Readonly<Record<string, string>> =>
  Object.fromEntries([LOOP, TRIGGER, CHECKPOINT, VIBECHECK].map((name) => [name, import.meta.resolve(name)]));

/** The names of all plugins of a configuration, those of its rulesets too. */
function namesIn({ plugins = [], extends: rulesets = [] }: Pick<Config, "plugins" | "extends">): ReadonlySet<string> {
  const own = plugins.filter(isPlugin).map(({ name }) => name);
  return new Set([...own, ...rulesets.flatMap((ruleset) => [...namesIn(ruleset)])]);
}

// From where the configuration has its own: two copies of one plugin in one kernel are refused.
async function pluginsOf(template: Template, present: ReadonlySet<string>, file: string | undefined): Promise<readonly Plugin[]> {
  const load = file === undefined ? undefined : await packagesBeside(file, { ...bundled(), ...behaviors() });
  const of = async <T>(name: string, own: () => Promise<T>): Promise<T> =>
    load === undefined ? own() : ((await load(name)) as unknown as T);
  const { loop } = await of(LOOP, () => import("@bylaw/plugin-loop"));
  const { trigger } = await of(TRIGGER, () => import("@bylaw/plugin-trigger"));
  const { checkpoint } = await of(CHECKPOINT, () => import("@bylaw/plugin-checkpoint"));
  const { vibecheck } = await of(VIBECHECK, () => import("@bylaw/plugin-vibecheck"));
  const called = triggerOptionsOf(template);
  return [
    loop(loopOptionsOf(template)),
    ...(called === undefined ? [] : [trigger(called)]),
    ...(present.has(CHECKPOINT) ? [] : [checkpoint()]),
    ...(present.has(VIBECHECK) ? [] : [vibecheck()]),
    workflow(),
  ];
}
