import { BylawError, type Plugin, type Ruleset } from "@bylaw/kernel";
import type { ReadConfig } from "./read-config.ts";
import { isBylawError } from "./is-bylaw-error.ts";
import { pluginFactoryOf, rulesetOf, type PackageLoader } from "./packages.ts";
import type { DataFile, DataPath } from "./data-file.ts";
import { lostPlugin } from "./lost-plugin.ts";
import { parseData } from "./parse-data.ts";
import { isPlain, type PluginUse } from "./plain-config.ts";

/**
 * Reads a JSON, YAML or TOML configuration and loads the packages that it names. Faults: BYLAW_CONFIG_INVALID with file and line,
 * BYLAW_CONFIG_UNLOADABLE for a package, and BYLAW_OPTIONS_INVALID for the options of a plugin.
 */
export async function readDataConfig(
  file: string,
  text: string,
  loaderFor: (names: readonly string[]) => PackageLoader,
): Promise<ReadConfig> {
  const data = await parseData(file, text);
  const {
    config: given,
    faults: checkFaults,
    isReplaced,
  } = isPlain(data.value)
    ? { config: data.value, faults: [], isReplaced: () => false }
    : await (await import("./config-schema.ts")).checkedConfig(file, data);
  const faults: BylawError[] = [...checkFaults];
  const { $schema: _, extends: rulesets, plugins: uses, ...settings } = given;
  const plugins = uses?.map((use) => (typeof use === "string" ? { use, options: undefined } : use));
  const load = loaderFor([...(rulesets ?? []), ...(plugins ?? []).map(({ use }) => use)]);
  const at: At = async (path, work, lost) => {
    const [known] = checkFaults;
    if (known !== undefined && [path, [...path, "use"], [...path, "options"]].some(isReplaced))
      return lost(known);
    try {
      return await work();
    } catch (error) {
      const fault = await placed(error, file, data, path);
      if (!isBylawError(fault)) throw fault;
      faults.push(fault);
      return lost(fault);
    }
  };
  const config: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) if (value !== undefined) config[key] = value;
  if (rulesets !== undefined)
    config["extends"] = await Promise.all(
      rulesets.map((name, index) => rulesetAt(name, index, load, at)),
    );
  if (plugins !== undefined)
    config["plugins"] = await Promise.all(
      plugins.map((use, index) => pluginAt(use, index, load, at)),
    );
  return { config, faults };
}

/** Loads the package at a path. If it fails, keeps the fault and returns what `lost` puts in its place. */
type At = <T>(path: DataPath, work: () => Promise<T>, lost: (fault: BylawError) => T) => Promise<T>;

const rulesetAt = (name: string, index: number, load: PackageLoader, at: At): Promise<Ruleset> =>
  at(
    ["extends", index],
    async () => rulesetOf(name, await load(name)),
    (fault) => ({ name, plugins: [lostPlugin(name, fault)] }),
  );

const pluginAt = (
  { use, options }: PluginUse,
  index: number,
  load: PackageLoader,
  at: At,
): Promise<Plugin> =>
  at(
    ["plugins", index],
    async () => pluginFactoryOf(use, await load(use))(options),
    (fault) => lostPlugin(use, fault),
  );

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
