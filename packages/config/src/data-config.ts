import { BylawError, type Config, type Plugin } from "@bylaw/kernel";
import { isBylawError } from "./is-bylaw-error.ts";
import { pluginFactoryOf, rulesetOf, type PackageLoader } from "./packages.ts";
import type { DataFile, DataPath } from "./data-file.ts";
import { parseData } from "./parse-data.ts";
import { throwFaults } from "./config-error.ts";
import { isPlain } from "./plain-config.ts";

/**
 * Reads a JSON, YAML or TOML configuration and loads the packages that it names. Throws BYLAW_CONFIG_INVALID with file and line,
 * BYLAW_CONFIG_UNLOADABLE for a package, and BYLAW_OPTIONS_INVALID for the options of a plugin.
 */
export async function readDataConfig(
  file: string,
  text: string,
  loaderFor: (names: readonly string[]) => PackageLoader,
): Promise<Config> {
  const data = await parseData(file, text);
  const {
    config: given,
    faults: told,
    isReplaced,
  } = isPlain(data.value)
    ? { config: data.value, faults: [], isReplaced: () => false }
    : await (await import("./config-schema.ts")).checkedConfig(file, data);
  const faults: BylawError[] = [...told];
  const { extends: rulesets, plugins: uses, ...settings } = given;
  const plugins = uses?.map((use) => (typeof use === "string" ? { use, options: undefined } : use));
  const load = loaderFor([...(rulesets ?? []), ...(plugins ?? []).map(({ use }) => use)]);
  // Collects the error of each package and plugin, so that all of them are reported.
  const at = async <T>(path: DataPath, work: () => Promise<T>): Promise<T | undefined> => {
    if ([path, [...path, "use"], [...path, "options"]].some(isReplaced)) return undefined;
    try {
      return await work();
    } catch (error) {
      const fault = await placed(error, file, data, path);
      if (!isBylawError(fault)) throw fault;
      faults.push(fault);
      return undefined;
    }
  };
  const config: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) if (value !== undefined) config[key] = value;
  if (rulesets !== undefined) {
    config["extends"] = await Promise.all(
      rulesets.map((name, index) =>
        at(["extends", index], async () => rulesetOf(name, await load(name))),
      ),
    );
  }
  if (plugins !== undefined) {
    config["plugins"] = await Promise.all(
      plugins.map(({ use, options }, index) =>
        at(["plugins", index], async (): Promise<Plugin> =>
          pluginFactoryOf(use, await load(use))(options),
        ),
      ),
    );
  }
  throwFaults(faults);
  return config;
}

async function placed(
  error: unknown,
  file: string,
  data: DataFile,
  path: DataPath,
): Promise<unknown> {
  if (!isBylawError(error) || error.source !== undefined) return error;
  const { code, message, fix } = error;
  return new BylawError({
    code,
    message,
    fix,
    source: { file, ...(await data.place(path)) },
    cause: error,
  });
}
