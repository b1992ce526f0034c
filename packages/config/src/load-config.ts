import { extname, resolve } from "node:path";
import { BylawError, type Config } from "@bylaw/kernel";
import { CONFIG_EXTENSIONS, findConfig } from "./find-config.ts";
import type { BundledPackages, ContainedPackages, PackageLoader } from "./packages.ts";
import { readText } from "./read-text.ts";

/** Which configuration to load. */
export interface LoadConfigOptions {
  /** Where the search begins, upwards. Default: the working directory. */
  readonly cwd?: string;
  /** The file itself, relative to `cwd`; then nothing is searched. */
  readonly file?: string;
  /** Packages to use where the project has not installed its own, by name: the URL of their entry. */
  readonly bundled?: BundledPackages;
  /** Packages to take from the program, where a configuration that is data would load the very same ones. */
  readonly contained?: ContainedPackages;
}

/** A configuration and where it was found. */
export interface LoadedConfig {
  /** Absolute path. */
  readonly file: string;
  readonly config: Config;
}

/** The same, with how to load packages from where the configuration has its own. */
export interface OpenedConfig extends LoadedConfig {
  readonly load: PackageLoader;
}

/**
 * Finds and loads `bylaw.config.{ts,mts,js,mjs,json,yaml,toml}`. Throws BYLAW_CONFIG_MISSING, BYLAW_CONFIG_INVALID or
 * BYLAW_CONFIG_UNLOADABLE, BYLAW_JSON_INVALID for JSON text, BYLAW_OPTIONS_INVALID for the options of a plugin.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { file, config } = await openConfig(options);
  return { file, config };
}

/** Loads a configuration as {@link loadConfig} does. */
export async function openConfig({
  cwd = process.cwd(),
  file,
  bundled = {},
  contained = {},
}: LoadConfigOptions): Promise<OpenedConfig> {
  const path = file === undefined ? await findConfig(cwd) : resolve(cwd, file);
  const extension = extname(path).slice(1);
  const text = readText(path);
  if (!(CONFIG_EXTENSIONS as readonly string[]).includes(extension)) {
    throw new BylawError({
      code: "BYLAW_CONFIG_INVALID",
      message: `\`.${extension}\` is not a configuration format. Use ${CONFIG_EXTENSIONS.join(", ")}.`,
      source: { file: path },
    });
  }
  // Each way to load brings a parser or a compiler of its own, so only the one that is needed is imported.
  let loading: Promise<PackageLoader> | undefined;
  const beside: PackageLoader = async (name) => {
    loading ??= import("./packages.ts").then(({ packagesBeside }) => packagesBeside(path, bundled));
    return await (
      await loading
    )(name);
  };
  if (/^m?[jt]s$/.test(extension)) {
    const { readModuleConfig } = await import("./module-config.ts");
    return { file: path, config: await readModuleConfig(path, bundled), load: beside };
  }
  const [{ readDataConfig }, { loaderOfContained }] = await Promise.all([
    import("./data-config.ts"),
    import("./packages.ts"),
  ]);
  let load = beside;
  const loaderFor = (names: readonly string[]): PackageLoader =>
    (load = loaderOfContained(path, names, contained, beside));
  return { file: path, config: await readDataConfig(path, text, loaderFor), load };
}
