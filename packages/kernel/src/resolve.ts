import { BylawError } from "./errors.ts";
import type { Faults } from "./faults.ts";
import { checkSettings } from "./check-settings.ts";
import type { NamedRule, Plugin, PluginInstance } from "./plugin.ts";
import type { Config, ResolvedPlugin, Ruleset } from "./ruleset.ts";

// Names are used as keys and are printed.
const NAME = /^[!-~]+$/;

interface Use {
  readonly plugin: Plugin;
  /** The rulesets that lead to the plugin, outermost first. */
  readonly path: readonly string[];
  readonly instance: PluginInstance<unknown> & { readonly excludedRules: Set<string> };
}

/**
 * Flattens `extends`, applies `without`, and groups the uses of each plugin. `root` names the configuration in every vote. Faults:
 * BYLAW_CONFIG_INVALID, BYLAW_PLUGIN_DUPLICATE, BYLAW_WITHOUT_UNMATCHED and BYLAW_WITHOUT_FINAL.
 */
export function resolve(
  config: Config,
  root: string,
  faults: Faults,
  configFile?: string,
): readonly ResolvedPlugin[] {
  checkSettings("config", config);
  const use = (plugin: Plugin, path: readonly string[]): Use => {
    const from = [root, ...path].join(" > ");
    const instance = { options: plugin.options, from, excludedRules: new Set<string>() };
    return {
      plugin,
      path,
      instance: configFile === undefined ? instance : { ...instance, configFile },
    };
  };
  const flatten = (ruleset: Ruleset, above: readonly Ruleset[]): readonly Use[] => {
    checkSettings("ruleset", ruleset);
    if (above.includes(ruleset))
      throw new BylawError({
        code: "BYLAW_CONFIG_INVALID",
        message: `The ruleset ${ruleset.name} extends itself`,
      });
    const path = [...above, ruleset];
    const names = path.map(({ name }) => name);
    const own = (ruleset.plugins ?? []).map((plugin) => use(plugin, names));
    return [...(ruleset.extends ?? []).flatMap((base) => all(base, path)), ...own];
  };
  const all = (ruleset: Ruleset, above: readonly Ruleset[]): readonly Use[] =>
    faults.attempt(() => flatten(ruleset, above)) ?? [];
  let brought = (config.extends ?? []).flatMap((ruleset) => all(ruleset, []));
  // A name may be that of a part of a ruleset that has a fault.
  for (const entry of faults.hasFailed ? [] : (config.without ?? []))
    brought = faults.attempt(() => exclude(brought, entry)) ?? brought;
  return group([...brought, ...(config.plugins ?? []).map((plugin) => use(plugin, []))], faults);
}

function group(all: readonly Use[], faults: Faults): readonly ResolvedPlugin[] {
  // If two paths lead to a ruleset, its plugins count once, with the path that sorts first.
  const uses = new Map<Plugin, Use>();
  for (const found of all) {
    const before = uses.get(found.plugin);
    if (before === undefined || found.instance.from < before.instance.from)
      uses.set(found.plugin, found);
  }
  const groups = new Map<string, { plugin: Plugin; instances: PluginInstance<unknown>[] }>();
  const add = ({ plugin, instance }: Use): void => {
    if (!NAME.test(plugin.name) || plugin.name === "__proto__") {
      const message = `\`${plugin.name}\` is not a plugin name`;
      const fix = "Use the name of its package, without spaces.";
      throw new BylawError({ code: "BYLAW_PLUGIN_INVALID", message, fix });
    }
    const { plugin: first, instances } = groups.get(plugin.name) ?? { plugin, instances: [] };
    if (!isSame(first, plugin)) throw duplicate(first, plugin);
    groups.set(plugin.name, { plugin: first, instances: [...instances, instance] });
  };
  for (const use of uses.values()) faults.attempt(() => add(use));
  return [...groups.values()];
}

// The command and a project may each have a copy of the same release of a Bylaw package. For other packages, an equal name and
// version does not guarantee equal code.
const isSame = (first: Plugin, other: Plugin): boolean =>
  first.definition === other.definition ||
  (first.name.startsWith("@bylaw/") && first.version === other.version);

function exclude(uses: readonly Use[], entry: string): Use[] {
  const whole = uses.filter(({ plugin, path }) => plugin.name === entry || path.includes(entry));
  const rules = uses.flatMap((use) =>
    use.plugin.definition.rules(use.instance).map((rule): [Use, NamedRule] => [use, rule]),
  );
  const named = rules.filter(
    ([use, { name }]) =>
      `${use.plugin.name}/${name}` === entry && !use.instance.excludedRules.has(name),
  );
  if (whole.length + named.length === 0) throw unmatched(entry);
  const final = [...named, ...rules.filter(([use]) => whole.includes(use))].find(
    ([, rule]) => rule.final === true,
  )?.[1];
  if (final !== undefined)
    throw new BylawError({
      code: "BYLAW_WITHOUT_FINAL",
      message: `\`without\` cannot exclude \`${entry}\`: the rule \`${final.name}\` is final`,
      fix: "A final rule holds wherever its ruleset is used. Leave the ruleset out of `extends`.",
    });
  for (const [{ instance }, { name }] of named) instance.excludedRules.add(name);
  return uses.filter((use) => !whole.includes(use));
}

function unmatched(entry: string): BylawError {
  const message = `\`without\` names \`${entry}\`, but nothing in \`extends\` has that name`;
  const fix = "Name a ruleset, a plugin, or <plugin>/<rule>.";
  return new BylawError({ code: "BYLAW_WITHOUT_UNMATCHED", message, fix });
}

function duplicate({ name, version }: Plugin, other: Plugin): BylawError {
  const message = `${name} is defined twice (versions ${version} and ${other.version})`;
  const fix = "Install one version of the plugin, and give each check a name of its own.";
  return new BylawError({ code: "BYLAW_PLUGIN_DUPLICATE", message, fix });
}
