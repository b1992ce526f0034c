import { extname, resolve } from "node:path";
import { BylawError, type Config } from "@bylaw/kernel";
import { CONFIG_EXTENSIONS, findConfig } from "./find-config.ts";
import type { BundledPackages } from "./packages.ts";
import { readText } from "./read-text.ts";

/** Which configuration to load. */
export interface LoadConfigOptions {
  /** Where the search begins, upwards. Default: the working directory. */
  readonly cwd?: string;
  /** The file itself, relative to `cwd`; then nothing is searched. */
  readonly file?: string;
  /** Packages to use where the project has not installed its own, by name: the URL of their entry. */
  readonly bundled?: BundledPackages;
}

/** A configuration and where it was found. */
export interface LoadedConfig {
  /** Absolute path. */
  readonly file: string;
  readonly config: Config;
}

/**
 * Finds and loads `bylaw.config.{ts,mts,js,mjs,json,yaml,toml}`. Throws BYLAW_CONFIG_MISSING, BYLAW_CONFIG_INVALID or
 * BYLAW_CONFIG_UNLOADABLE, BYLAW_JSON_INVALID for JSON text, BYLAW_OPTIONS_INVALID for the options of a plugin.
 */
export async function loadConfig({
  cwd = process.cwd(),
  file,
  bundled = {},
}: LoadConfigOptions = {}): Promise<LoadedConfig> {
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
  if (/^m?[jt]s$/.test(extension)) {
    const { readModuleConfig } = await import("./module-config.ts");
    return { file: path, config: await readModuleConfig(path, bundled) };
  }
  const [{ readDataConfig }, { packagesBeside }] = await Promise.all([
    import("./data-config.ts"),
    import("./packages.ts"),
  ]);
  return {
    file: path,
    config: await readDataConfig(path, text, await packagesBeside(path, bundled)),
  };
}
