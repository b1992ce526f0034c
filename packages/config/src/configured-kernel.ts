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
import { loadConfig, type LoadConfigOptions } from "./load-config.ts";

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
  /** In the order of the configuration. */
  readonly report: readonly ReportEntry[];
}

/** How to make a {@link ConfiguredKernel}. */
export interface ConfiguredKernelOptions extends LoadConfigOptions {
  /** Plugins to add to those of the configuration; told its file, so that they can come from where its packages are, and what it says. */
  readonly add?: (file: string, config: Config) => readonly Plugin[] | Promise<readonly Plugin[]>;
}

/** Which file or ruleset brought what, in the order of the configuration. */
export function reportOf(kernel: Kernel): readonly ReportEntry[] {
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

/** Loads a configuration and creates its kernel. Throws what {@link loadConfig} and `createKernel` throw, with the file. */
export async function createConfiguredKernel(
  input: ConfiguredKernelOptions = {},
): Promise<ConfiguredKernel> {
  const { add, ...options } = checkArgument("createConfiguredKernel", "options", input);
  const { file, config } = await loadConfig(options);
  const added = (await add?.(file, config)) ?? [];
  try {
    const kernel = createKernel(
      added.length === 0 ? config : { ...config, plugins: [...(config.plugins ?? []), ...added] },
      { configFile: file },
    );
    return { kernel, file, report: reportOf(kernel) };
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
