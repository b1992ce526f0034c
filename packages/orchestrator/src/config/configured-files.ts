import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isPlugin, type Config, type Plugin } from "@bylaw/kernel";
import type { ServerFiles } from "./server-files.ts";
import type { TokenKey } from "./token-keys.ts";

export const POLICY = "@bylaw/plugin-policy";
export const TOKENS = "@bylaw/plugin-tokens";

/** The keys of tokens that the options of the plugin name. `undefined` if they leave them to the contract. */
export const keysIn = (options: unknown): readonly TokenKey[] | undefined =>
  (options as { readonly keys?: readonly TokenKey[] } | undefined)?.keys;

interface PolicyFiles {
  readonly files?: readonly string[];
  readonly experiment?: { readonly files: readonly string[] };
}

/** The files that the plugins of a configuration in `folder` depend on: those with keys, and those with rules. */
export function configuredFiles(config: Config, folder: string): ServerFiles {
  const plugins = pluginsOf(config);
  const of = (name: string): readonly unknown[] =>
    plugins.flatMap((plugin) => (plugin.name === name ? [plugin.options] : []));
  const keys = of(TOKENS).flatMap((options) => keysIn(options) ?? []);
  const policies = of(POLICY).flatMap((options) => {
    const { files = [], experiment } = options as PolicyFiles;
    return [...files, ...(experiment?.files ?? [])];
  });
  return {
    hidden: [
      ...keys.flatMap((key) => ("file" in key ? [key.file] : [])),
      // Such as keys that seal a log.
      ...plugins.flatMap(({ options }) => keyFilesIn(options)),
    ].map((file) => resolve(folder, file)),
    kept: policies.map((file) =>
      file.startsWith("file:") ? fileURLToPath(file) : resolve(folder, file),
    ),
  };
}

function keyFilesIn(options: unknown): readonly string[] {
  if (typeof options !== "object" || options === null) return [];
  return Object.entries(options).flatMap(([name, value]) =>
    name === "key_file" && typeof value === "string" ? [value] : keyFilesIn(value as unknown),
  );
}

/** All plugins that a configuration or one of its rulesets names, including dropped ones. The kernel later refuses anything else. */
function pluginsOf(
  brought: Pick<Config, "extends" | "plugins">,
  above: readonly unknown[] = [],
): readonly Plugin[] {
  if (above.includes(brought)) return [];
  const [bases, plugins] = [brought.extends, brought.plugins].map(
    (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []),
  );
  const below = (bases ?? []).flatMap((base) =>
    pluginsOf((base ?? {}) as Config, [...above, brought]),
  );
  return [...below, ...(plugins ?? []).filter(isPlugin)];
}
