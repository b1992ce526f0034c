import {
  BylawError,
  createKernel,
  checkArgument,
  messageOf,
  type Config,
  type Kernel,
  type Plugin,
} from "@bylaw/kernel";
import { isBylawError } from "./is-bylaw-error.ts";
import { openConfig, type LoadConfigOptions } from "./load-config.ts";
import type { PackageLoader } from "./packages.ts";

/** Which file or ruleset brought one use of a plugin. */
export interface ReportEntry {
  readonly plugin: string;
  readonly version: string;
  /** The way from the configuration to the plugin: `bylaw.config.ts > @bylaw/ruleset-recommended`. */
  readonly from: string;
  /** Names of rules that `without` dropped. */
  readonly excludedRules: readonly string[];
  readonly options: unknown;
}

/** A sealed kernel, and where its parts come from. */
export interface ConfiguredKernel {
  readonly kernel: Kernel;
  /** Absolute path of the configuration. */
  readonly file: string;
  /** Loads packages from where the configuration has its own. */
  readonly load: PackageLoader;
  /** In the order of the configuration. */
  readonly report: readonly ReportEntry[];
}

/** How to make a {@link ConfiguredKernel}. */
export interface ConfiguredKernelOptions extends LoadConfigOptions {
  /** Plugins to add to those of the configuration; told its file, what it says, and how to load packages from where it has its own. */
  readonly add?: (
    file: string,
    config: Config,
    load: PackageLoader,
  ) => readonly Plugin[] | Promise<readonly Plugin[]>;
}

/** Which file or ruleset brought what, in the order of the configuration. */
function reportOf(kernel: Kernel): readonly ReportEntry[] {
  return kernel.plugins.flatMap(({ plugin, instances }) =>
    instances.map(({ from, excludedRules, options }) => ({
      plugin: plugin.name,
      version: plugin.version,
      from,
      excludedRules: [...excludedRules],
      options,
    })),
  );
}

/** Loads a configuration and creates its kernel. Throws what `loadConfig` and `createKernel` throw, with the file. */
export async function createConfiguredKernel(
  input: ConfiguredKernelOptions = {},
): Promise<ConfiguredKernel> {
  const { add, ...options } = checkArgument("createConfiguredKernel", "options", input);
  const { file, config, load } = await openConfig(options);
  const added = (await add?.(file, config, load)) ?? [];
  try {
    const kernel = createKernel(
      added.length === 0 ? config : { ...config, plugins: [...(config.plugins ?? []), ...added] },
      { configFile: file },
    );
    return { kernel, file, load, report: reportOf(kernel) };
  } catch (error) {
    if (isBylawError(error)) {
      if (error.source !== undefined || "findings" in error) throw error;
      const { code, message, fix } = error;
      throw new BylawError({ code, message, fix, source: { file }, cause: error });
    }
    throw new BylawError({
      code: "BYLAW_CONFIG_INVALID",
      message: `The configuration cannot be applied: ${messageOf(error)}`,
      source: { file },
      cause: error,
    });
  }
}
