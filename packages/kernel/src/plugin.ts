import type { z } from "zod";
import type { Plugin, PluginDefinition, PluginFactory, PluginInstance, PooledPlugin, SinglePlugin } from "../contract/index.d.ts";
import { BylawError } from "./errors.ts";

/** Defines a plugin. The result takes options and throws BYLAW_OPTIONS_INVALID for those that the schema refuses. */
export function definePlugin<Schema extends z.ZodType>(plugin: SinglePlugin<Schema> | PooledPlugin<Schema>): PluginFactory<Schema> {
  type Instance = PluginInstance<z.output<Schema>>;
  const definition: PluginDefinition = {
    pooled: "applyPool" in plugin,
    rules: (instance) => plugin.rules?.(instance as Instance) ?? [],
    apply(kernel, instances) {
      const uses = instances as readonly Instance[];
      const results: readonly unknown[] =
        "applyPool" in plugin ? [plugin.applyPool(kernel, uses)] : uses.map((instance) => plugin.apply(kernel, instance.options, instance));
      if (!results.some((result) => result instanceof Promise)) return;
      const message = `Unexpected answer of \`apply\` of ${plugin.name}, expected it to tap at once`;
      throw new BylawError({ code: "BYLAW_PLUGIN_INVALID", message });
    },
  };
  const { name, version, grants = false, hard = false } = plugin;
  const codes = new Set(Object.keys(plugin.codes ?? {}));
  const create = (options?: unknown): Plugin => {
    const parsed = plugin.options.safeParse(options);
    if (parsed.success) return Object.freeze({ name, version, grants, hard, codes, options: parsed.data, definition });
    const message = `Unexpected options of ${name}: ${issuesOf(parsed.error)}`;
    throw new BylawError({ code: "BYLAW_OPTIONS_INVALID", message, fix: `see the options table in the README of ${name}` });
  };
  return Object.assign(create, { plugin }) as PluginFactory<Schema>;
}

/** The issues of a zod error in one line. */
export const issuesOf = ({ issues }: Pick<z.ZodError, "issues">): string =>
  issues.map(({ path, message }) => (path.length === 0 ? message : `\`${path.map(String).join(".")}\` ${message}`)).join("; ");

/** Tells a plugin from any other value. */
export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === "object" && value !== null && "definition" in value && "grants" in value;
