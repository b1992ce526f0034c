import { basename } from "node:path";
import type { Config, Kernel, Plugin, Ruleset } from "@bylaw/kernel";

/** A configuration with everything resolved. */
export interface ShownConfig {
  /** The absolute path of the configuration. */
  readonly file: string;
  readonly settings: readonly Setting[];
  readonly plugins: readonly ShownPlugin[];
}

interface Setting {
  readonly key: string;
  readonly value: unknown;
  /** The origin: the name of the file, `default`, or `a plugin`. */
  readonly from: string;
}

interface ShownPlugin {
  readonly plugin: string;
  readonly version: string;
  readonly uses: readonly ShownUse[];
  /** The paths from the configuration to the plugin that `without` drops. */
  readonly dropped: readonly string[];
}

interface ShownUse {
  /** The path from the configuration: `bylaw.config.ts > @bylaw/ruleset-recommended`. */
  readonly from: string;
  /** Other paths to the same use, which counts only once. */
  readonly also: readonly string[];
  /** The names of the rules that `without` drops. */
  readonly without: readonly string[];
  /** The options, with their defaults. */
  readonly options: unknown;
}

/** Every setting with its value and origin. */
export function settingsOf(config: Config, kernel: Kernel, file: string): readonly Setting[] {
  const { enforcement_mode, deadline_ms } = kernel;
  const byPlugin = config.enforcement_mode === undefined && enforcement_mode !== "strict";
  const inForce = {
    fallback: config.fallback ?? "ask_user",
    approval_mode: config.approval_mode ?? "ask",
    ...{ enforcement_mode, deadline_ms },
  };
  return Object.entries(inForce).map(([key, value]) => ({
    ...{ key, value },
    from:
      config[key as keyof Config] !== undefined
        ? basename(file)
        : key === "enforcement_mode" && byPlugin
          ? "a plugin"
          : "default",
  }));
}

/** Every plugin with its origins and options. */
export function usesOf(config: Config, kernel: Kernel, file: string): readonly ShownPlugin[] {
  const root = basename(file);
  const paths = [
    ...(config.extends ?? []).flatMap((ruleset) => pathsIn(ruleset, root)),
    ...(config.plugins ?? []).map((plugin): PluginPath => ({ plugin, from: root })),
  ];
  const resolved = new Map(kernel.plugins.map((one) => [one.plugin.name, one]));
  const names = new Set([...resolved.keys(), ...paths.map(({ plugin }) => plugin.name)]);
  return [...names].map((name) => {
    const own = paths.filter(({ plugin }) => plugin.name === name);
    const uses = (resolved.get(name)?.instances ?? []).map((instance): ShownUse => {
      const { from, options, excludedRules } = instance;
      const listed = own.find((path) => path.from === from && path.plugin.options === options);
      const also = own.filter(({ plugin }) => plugin === listed?.plugin).map((path) => path.from);
      return {
        from,
        also: also.filter((path) => path !== from),
        without: [...excludedRules],
        options: withoutPasswords(options),
      };
    });
    const kept = new Set(uses.flatMap(({ from, also }) => [from, ...also]));
    return {
      plugin: name,
      version: resolved.get(name)?.plugin.version ?? own[0]?.plugin.version ?? "",
      uses,
      dropped: own.map(({ from }) => from).filter((from) => !kept.has(from)),
    };
  });
}

// Options may contain the URL of a store, with a password.
const withoutPasswords = (options: unknown): unknown =>
  JSON.parse(
    JSON.stringify(options ?? null, (_, value: unknown) =>
      typeof value === "string"
        ? value.replaceAll(
            /(:\/\/[^/\s:@]*:)[^/\s@]*@|([?&]password=)[^&\s]*/gi,
            (_all, user, key) => (user === undefined ? `${String(key)}…` : `${String(user)}…@`),
          )
        : value,
    ),
  ) as unknown;

interface PluginPath {
  readonly plugin: Plugin;
  readonly from: string;
}

function pathsIn(ruleset: Ruleset, above: string): readonly PluginPath[] {
  const from = `${above} > ${ruleset.name}`;
  return [
    ...(ruleset.extends ?? []).flatMap((base) => pathsIn(base, from)),
    ...(ruleset.plugins ?? []).map((plugin) => ({ plugin, from })),
  ];
}
