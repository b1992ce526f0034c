import {
  BylawError,
  Faults,
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

/** The origin of one use of a plugin: a file or a ruleset. */
export interface ReportEntry {
  readonly plugin: string;
  readonly version: string;
  /** The path from the configuration to the plugin: `bylaw.config.ts > @bylaw/ruleset-recommended`. */
  readonly from: string;
  /** The names of the rules that `without` dropped. */
  readonly excludedRules: readonly string[];
  readonly options: unknown;
}

/** A sealed kernel, and the origins of its parts. */
export interface ConfiguredKernel {
  readonly kernel: Kernel;
  /** Absolute path of the configuration. */
  readonly file: string;
  /** Loads packages as the configuration does, from its own folder or above. */
  readonly load: PackageLoader;
  /** The uses of plugins, in the order of the configuration. */
  readonly report: readonly ReportEntry[];
}

/** The options of {@link createConfiguredKernel}. */
export interface ConfiguredKernelOptions extends LoadConfigOptions {
  /**
   * Returns plugins to add to those of the configuration. It gets the file, the configuration, and a loader for the configuration's
   * own packages.
   */
  readonly add?: (
    file: string,
    config: Config,
    load: PackageLoader,
  ) => readonly Plugin[] | Promise<readonly Plugin[]>;
}

/** The origin of every plugin, in the order of the configuration. */
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

/** Loads a configuration and creates its kernel. Throws the errors of `loadConfig` and `createKernel`, with the file. */
export async function createConfiguredKernel(
  input: ConfiguredKernelOptions = {},
): Promise<ConfiguredKernel> {
  const { add, ...options } = checkArgument("createConfiguredKernel", "options", input);
  const { file, config, faults, load } = await openConfig(options);
  let added: readonly Plugin[];
  try {
    added = (await add?.(file, config, load)) ?? [];
  } catch (error) {
    new Faults([...faults, error], file).throwAll();
    throw error;
  }
  try {
    const kernel = createKernel(
      added.length === 0 ? config : { ...config, plugins: [...(config.plugins ?? []), ...added] },
      { configFile: file, faults },
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
