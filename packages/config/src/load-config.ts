import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import { BylawError, Faults, type Config } from "@bylaw/kernel";
import { CONFIG_EXTENSIONS, findConfig } from "./find-config.ts";
import type { BundledPackages, BuiltInPackages, PackageLoader } from "./packages.ts";
import { lockFileOf } from "./lock-file.ts";
import type { ReadConfig } from "./read-config.ts";
import { readText } from "./read-text.ts";

/** The options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** The folder in which the search begins; it goes upwards. Default: the working directory. */
  readonly cwd?: string;
  /** The configuration file, relative to `cwd`. If it is set, nothing is searched. */
  readonly file?: string;
  /** Packages to use if the project has not installed its own: the URL of each entry, by name. */
  readonly bundled?: BundledPackages;
  /** Packages to take from the program if a configuration in a data format would load exactly the same ones. */
  readonly contained?: BuiltInPackages;
}

/** A configuration and its file. */
export interface LoadedConfig {
  /** Absolute path. */
  readonly file: string;
  readonly config: Config;
}

/** The valid part of a configuration, its file, and a loader for the configuration's own packages. */
export interface OpenedConfig extends LoadedConfig, ReadConfig {
  readonly load: PackageLoader;
}

/**
 * Finds and loads `bylaw.config.{ts,mts,js,mjs,json,yaml,toml}`. Throws BYLAW_CONFIG_MISSING, BYLAW_CONFIG_INVALID,
 * BYLAW_CONFIG_UNLOADABLE, BYLAW_JSON_INVALID for JSON text, and BYLAW_OPTIONS_INVALID for the options of a plugin. If rulesets are
 * locked: BYLAW_LOCK_INVALID, BYLAW_RULESET_UNREADABLE and BYLAW_RULESET_UNACCEPTED.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { file, config, faults } = await openConfig(options);
  new Faults(faults, file).throwAll();
  return { file, config };
}

/** Loads a configuration like {@link loadConfig}, and returns its faults and the loader of its packages too. */
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
  const locking = existsSync(lockFileOf(path)) ? await import("./ruleset-lock.ts") : undefined;
  const lock = locking?.readRulesetLock(path) ?? {};
  locking?.checkInstalled(path, lock);
  // Each format needs its own parser or compiler, so only the one that is needed is imported.
  let loading: Promise<PackageLoader> | undefined;
  const beside: PackageLoader = async (name) => {
    loading ??= import("./packages.ts").then(({ packageLoaderFor }) =>
      packageLoaderFor(path, bundled),
    );
    return await (
      await loading
    )(name);
  };
  if (/^m?[jt]s$/.test(extension)) {
    const { readModuleConfig } = await import("./module-config.ts");
    const read = await readModuleConfig(path, bundled);
    locking?.checkAccepted(path, lock, read.config);
    return { file: path, ...read, load: beside };
  }
  const [{ readDataConfig }, { loaderOfContained }] = await Promise.all([
    import("./data-config.ts"),
    import("./packages.ts"),
  ]);
  let load = beside;
  const loaderFor = (names: readonly string[]): PackageLoader =>
    (load = loaderOfContained(path, names, contained, beside));
  const read = await readDataConfig(path, text, loaderFor);
  locking?.checkAccepted(path, lock, read.config);
  return { file: path, ...read, load };
}
