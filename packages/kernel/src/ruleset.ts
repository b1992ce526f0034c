import { ENFORCEMENT_MODES, type EnforcementMode } from "./decision.ts";
import { BylawError } from "./errors.ts";
import { isPlugin, type Plugin, type PluginInstance } from "./plugin.ts";
import { APPROVAL_MODES, type ApprovalMode } from "./subject.ts";
import { isEffect, type Effect } from "./verdict.ts";

/** A named list of plugins, shared on npm. It adds votes and merges nothing; it cannot set a fallback or a mode. */
export interface Ruleset {
  /** The package name. */
  readonly name: string;
  readonly extends?: readonly Ruleset[];
  readonly plugins?: readonly Plugin[];
}

/** The configuration of a host. */
export interface Config {
  readonly extends?: readonly Ruleset[];
  /**
   * Drops what `extends` brought: a ruleset, a plugin, or `<plugin>/<tap or rule>`. Each entry must match something, and
   * none may name a final rule or a plugin that holds one.
   */
  readonly without?: readonly string[];
  readonly plugins?: readonly Plugin[];
  /** What a tool call comes to when nothing else decides. Default: `ask_user`. */
  readonly fallback?: Effect;
  /** Default: `ask`. */
  readonly approval_mode?: ApprovalMode;
  /** Default: `strict`. */
  readonly enforcement_mode?: EnforcementMode;
  /** Milliseconds that an asynchronous tap may take; after them it denies. Default: 10,000. */
  readonly deadline_ms?: number;
}

/** Returns its argument, typed. */
export function defineRuleset(ruleset: Ruleset): Ruleset {
  return ruleset;
}

/** Returns its argument, typed. */
export function defineConfig(config: Config): Config {
  return config;
}

/** The uses of one definition, in the order of the configuration. */
export interface ResolvedPlugin {
  readonly plugin: Plugin;
  readonly instances: readonly PluginInstance<unknown>[];
}

interface Use {
  readonly plugin: Plugin;
  readonly path: readonly string[];
  readonly dropped: Set<string>;
}

const CONFIG_KEYS: ReadonlySet<string> = new Set([
  "extends",
  "without",
  "plugins",
  "fallback",
  "approval_mode",
  "enforcement_mode",
  "deadline_ms",
]);
const RULESET_KEYS: ReadonlySet<string> = new Set(["name", "extends", "plugins"]);

/**
 * Flattens `extends`, applies `without`, groups the uses of each plugin. `root` names the configuration in every vote.
 * Throws BYLAW_CONFIG_INVALID, BYLAW_PLUGIN_DUPLICATE, BYLAW_WITHOUT_UNMATCHED or BYLAW_WITHOUT_FINAL.
 */
export function resolve(config: Config, root: string, configFile?: string): readonly ResolvedPlugin[] {
  validate(config);
  const brought: Use[] = [];
  for (const ruleset of config.extends ?? []) collect(ruleset, [root], brought, new Set());
  const instanceOf = ({ plugin, path, dropped }: Use): PluginInstance<unknown> => ({
    options: plugin.options,
    from: path.join(" > "),
    dropped,
    ...(configFile === undefined ? {} : { configFile }),
  });
  let kept: readonly Use[] = brought;
  for (const entry of config.without ?? []) kept = drop(kept, entry, instanceOf);
  const own = (config.plugins ?? []).map((plugin): Use => ({ plugin, path: [root], dropped: new Set() }));
  const groups = new Map<string, { plugin: Plugin; instances: PluginInstance<unknown>[] }>();
  const seen = new Set<Plugin>();
  for (const use of [...kept, ...own]) {
    // A ruleset that is reached by two paths brings its plugins once.
    if (seen.has(use.plugin)) continue;
    seen.add(use.plugin);
    const group = groups.get(use.plugin.name);
    if (group !== undefined && group.plugin.definition !== use.plugin.definition) {
      throw new BylawError({
        code: "BYLAW_PLUGIN_DUPLICATE",
        message: `Unexpected second definition of ${use.plugin.name} (versions ${group.plugin.version} and ${use.plugin.version}), expected one`,
        fix: "install one version of the plugin, and give each check a name of its own",
      });
    }
    if (group === undefined) groups.set(use.plugin.name, { plugin: use.plugin, instances: [instanceOf(use)] });
    else group.instances.push(instanceOf(use));
  }
  return [...groups.values()];
}

function collect(ruleset: Ruleset, path: readonly string[], into: Use[], above: ReadonlySet<Ruleset>): void {
  const unknown = Object.keys(ruleset).find((key) => !RULESET_KEYS.has(key));
  if (typeof ruleset.name !== "string" || unknown !== undefined) {
    throw invalid(
      `Unexpected ${unknown === undefined ? "ruleset without a name" : `key \`${unknown}\` in ruleset ${ruleset.name}`}`,
    );
  }
  if (above.has(ruleset)) throw invalid(`Unexpected ruleset ${ruleset.name} that extends itself`);
  const here = [...path, ruleset.name];
  for (const base of ruleset.extends ?? []) collect(base, here, into, new Set([...above, ruleset]));
  for (const plugin of ruleset.plugins ?? []) {
    if (!isPlugin(plugin)) throw invalid(`Unexpected entry in \`plugins\` of ${ruleset.name}, expected a plugin`);
    into.push({ plugin, path: here, dropped: new Set() });
  }
}

function drop(uses: readonly Use[], entry: string, instanceOf: (use: Use) => PluginInstance<unknown>): readonly Use[] {
  const whole = uses.filter(({ plugin, path }) => plugin.name === entry || path.slice(1).includes(entry));
  if (whole.length > 0) {
    for (const use of whole) {
      const final = use.plugin.definition.rules(instanceOf(use)).find((rule) => rule.final === true);
      if (final !== undefined) throw finalRule(entry, final.name);
    }
    return uses.filter((use) => !whole.includes(use));
  }
  let matched = false;
  for (const use of uses) {
    if (!entry.startsWith(`${use.plugin.name}/`)) continue;
    const name = entry.slice(use.plugin.name.length + 1);
    const rule = use.plugin.definition.rules(instanceOf(use)).find((candidate) => candidate.name === name);
    if (rule?.final === true) throw finalRule(entry, name);
    if (rule === undefined && !tapNames(use.plugin, instanceOf(use)).includes(name)) continue;
    use.dropped.add(name);
    matched = true;
  }
  if (!matched) {
    throw new BylawError({
      code: "BYLAW_WITHOUT_UNMATCHED",
      message: `Unexpected entry \`${entry}\` in \`without\`, expected something that \`extends\` brought`,
      fix: "remove the entry, or name a ruleset, a plugin, or <plugin>/<tap or rule>",
    });
  }
  return uses;
}

// The names that a plugin taps with are known only by letting it tap; nothing that it declares here is kept.
function tapNames({ definition }: Plugin, instance: PluginInstance<unknown>): readonly string[] {
  const names: string[] = [];
  const hook = { tap: (name: string) => void names.push(name), tapPromise: (name: string) => void names.push(name) };
  const ignore = (): void => {};
  definition.apply(
    {
      hooks: { beforeToolCall: hook, onTransition: hook, onBehavior: hook, onEnforcement: hook },
      event: ignore,
      projection: ignore,
      guard: ignore,
      sink: ignore,
      prepare: ignore,
      fallback: ignore,
      editsWorkspace: ignore,
      digest: ignore,
    },
    [instance],
  );
  return names;
}

function validate(config: Config): void {
  const fail = (message: string): never => {
    throw invalid(message);
  };
  if (typeof config !== "object" || config === null) fail("Unexpected configuration, expected an object");
  for (const key of Object.keys(config)) {
    if (!CONFIG_KEYS.has(key))
      fail(`Unexpected key \`${key}\` in the configuration, expected ${[...CONFIG_KEYS].join(", ")}`);
  }
  const { fallback, approval_mode, enforcement_mode, deadline_ms, without, plugins } = config;
  if (fallback !== undefined && !isEffect(fallback))
    fail(`Unexpected fallback \`${String(fallback)}\`, expected allow, ask_user or deny`);
  if (approval_mode !== undefined && !APPROVAL_MODES.includes(approval_mode)) {
    fail(`Unexpected approval_mode \`${String(approval_mode)}\`, expected ${APPROVAL_MODES.join(", ")}`);
  }
  if (enforcement_mode !== undefined && !ENFORCEMENT_MODES.includes(enforcement_mode)) {
    fail(`Unexpected enforcement_mode \`${String(enforcement_mode)}\`, expected ${ENFORCEMENT_MODES.join(", ")}`);
  }
  if (deadline_ms !== undefined && !(Number.isFinite(deadline_ms) && deadline_ms > 0)) {
    fail(`Unexpected deadline_ms \`${String(deadline_ms)}\`, expected a positive number of milliseconds`);
  }
  if (without?.some((entry) => typeof entry !== "string") === true)
    fail("Unexpected entry in `without`, expected text");
  if (plugins?.every(isPlugin) === false) fail("Unexpected entry in `plugins`, expected a plugin");
}

function invalid(message: string): BylawError {
  return new BylawError({ code: "BYLAW_CONFIG_INVALID", message });
}

function finalRule(entry: string, rule: string): BylawError {
  return new BylawError({
    code: "BYLAW_WITHOUT_FINAL",
    message: `Unexpected entry \`${entry}\` in \`without\`, expected nothing that drops the final rule \`${rule}\``,
    fix: "a final rule holds wherever its ruleset is used; leave the ruleset out instead",
  });
}
