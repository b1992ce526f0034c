import type { Config, NamedRule, Plugin, PluginInstance, ResolvedPlugin, Ruleset } from "../contract/index.d.ts";
import { ENFORCEMENT_MODES } from "./decision.ts";
import { BylawError } from "./errors.ts";
import { isJsonObject } from "./json.ts";
import { isPlugin } from "./plugin.ts";
import { APPROVAL_MODES } from "./subject.ts";
import { isEffect } from "./verdict.ts";

// Names are keys and are printed.
const NAME = /^[!-~]+$/;

/** Returns its argument, typed. */
export const defineRuleset = (ruleset: Ruleset): Ruleset => ruleset;

/** Returns its argument, typed. */
export const defineConfig = (config: Config): Config => config;

interface Use {
  readonly plugin: Plugin;
  /** The rulesets that lead to it, outermost first. */
  readonly path: readonly string[];
  readonly instance: PluginInstance<unknown> & { readonly dropped: Set<string> };
}

type Setting = readonly [test: (value: unknown) => boolean, expected: string];
const oneOf = (names: readonly unknown[]): Setting => [(value) => names.includes(value), names.join(", ")];
const plugins: Setting = [(value) => Array.isArray(value) && value.every(isPlugin), "a list of plugins"];
const rulesets: Setting = [(value) => Array.isArray(value) && value.every(isJsonObject), "a list of rulesets"];
const texts: Setting = [(value) => Array.isArray(value) && value.every((item) => typeof item === "string"), "a list of names"];
const CONFIG: Readonly<Record<string, Setting>> = {
  extends: rulesets,
  without: texts,
  plugins,
  fallback: [isEffect, "allow, ask_user, deny"],
  approval_mode: oneOf(APPROVAL_MODES),
  enforcement_mode: oneOf(ENFORCEMENT_MODES),
  deadline_ms: [(value) => typeof value === "number" && value > 0 && value < 2 ** 31, "a number of milliseconds from 1 to 2147483647"],
};
const RULESET: typeof CONFIG = { name: [(value) => typeof value === "string", "a package name"], extends: rulesets, plugins };

function check(where: string, value: object, settings: typeof CONFIG): void {
  if (!isJsonObject(value)) throw invalid(`Unexpected ${where}, expected an object`);
  for (const [key, item] of Object.entries({ ...("name" in settings ? { name: null } : {}), ...value })) {
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (setting === undefined) throw invalid(`Unexpected key \`${key}\` in ${where}, expected ${Object.keys(settings).join(", ")}`);
    if (item !== undefined && !setting[0](item)) throw invalid(`Unexpected \`${key}\` in ${where}, expected ${setting[1]}`);
  }
}

/**
 * Flattens `extends`, applies `without`, groups the uses of each plugin. `root` names the configuration in every vote.
 * Throws BYLAW_CONFIG_INVALID, BYLAW_PLUGIN_DUPLICATE, BYLAW_WITHOUT_UNMATCHED or BYLAW_WITHOUT_FINAL.
 */
export function resolve(config: Config, root: string, configFile?: string): readonly ResolvedPlugin[] {
  check("the configuration", config, CONFIG);
  const use = (plugin: Plugin, path: readonly string[]): Use => {
    const instance = { options: plugin.options, from: [root, ...path].join(" > "), dropped: new Set<string>() };
    return { plugin, path, instance: configFile === undefined ? instance : { ...instance, configFile } };
  };
  const flatten = (ruleset: Ruleset, above: readonly Ruleset[]): readonly Use[] => {
    check("a ruleset", ruleset, RULESET);
    if (above.includes(ruleset)) throw invalid(`Unexpected ruleset ${ruleset.name} that extends itself`);
    const path = [...above, ruleset];
    const own = (ruleset.plugins ?? []).map((plugin) =>
      use(
        plugin,
        path.map(({ name }) => name),
      ),
    );
    return [...(ruleset.extends ?? []).flatMap((base) => flatten(base, path)), ...own];
  };
  let brought = (config.extends ?? []).flatMap((ruleset) => flatten(ruleset, []));
  for (const entry of config.without ?? []) brought = drop(brought, entry);
  const own = (config.plugins ?? []).map((plugin) => use(plugin, []));
  // A ruleset that is reached by two paths brings its plugins once, by the path that sorts first.
  const uses = new Map<Plugin, Use>();
  for (const found of [...brought, ...own]) {
    const before = uses.get(found.plugin);
    if (before === undefined || found.instance.from < before.instance.from) uses.set(found.plugin, found);
  }
  const groups = new Map<string, { plugin: Plugin; instances: PluginInstance<unknown>[] }>();
  for (const { plugin, instance } of uses.values()) {
    if (!NAME.test(plugin.name) || plugin.name === "__proto__") {
      const message = `Unexpected plugin name \`${plugin.name}\`, expected that of its package`;
      throw new BylawError({ code: "BYLAW_PLUGIN_INVALID", message });
    }
    const { plugin: first, instances } = groups.get(plugin.name) ?? { plugin, instances: [] };
    if (first.definition !== plugin.definition) throw duplicate(first, plugin);
    groups.set(plugin.name, { plugin: first, instances: [...instances, instance] });
  }
  return [...groups.values()];
}

function drop(uses: readonly Use[], entry: string): Use[] {
  const whole = uses.filter(({ plugin, path }) => plugin.name === entry || path.includes(entry));
  const rules = uses.flatMap((use) => use.plugin.definition.rules(use.instance).map((rule): [Use, NamedRule] => [use, rule]));
  const named = rules.filter(([use, { name }]) => `${use.plugin.name}/${name}` === entry && !use.instance.dropped.has(name));
  if (whole.length + named.length === 0) throw unmatched(entry);
  const final = [...named, ...rules.filter(([use]) => whole.includes(use))].find(([, rule]) => rule.final === true)?.[1];
  if (final !== undefined) {
    const message = `Unexpected \`${entry}\` in \`without\`, expected nothing that drops the final rule \`${final.name}\``;
    throw new BylawError({
      code: "BYLAW_WITHOUT_FINAL",
      message,
      fix: "a final rule holds wherever its ruleset is used: leave the ruleset out of `extends`",
    });
  }
  for (const [{ instance }, { name }] of named) instance.dropped.add(name);
  return uses.filter((use) => !whole.includes(use));
}

function unmatched(entry: string): BylawError {
  const message = `Unexpected \`${entry}\` in \`without\`, expected something that \`extends\` brought`;
  const fix = "name a ruleset, a plugin, or <plugin>/<rule>";
  return new BylawError({ code: "BYLAW_WITHOUT_UNMATCHED", message, fix });
}

function duplicate({ name, version }: Plugin, other: Plugin): BylawError {
  const message = `Unexpected second definition of ${name} (versions ${version} and ${other.version}), expected one`;
  const fix = "install one version of the plugin, and give each check a name of its own";
  return new BylawError({ code: "BYLAW_PLUGIN_DUPLICATE", message, fix });
}

const invalid = (message: string): BylawError => new BylawError({ code: "BYLAW_CONFIG_INVALID", message });
