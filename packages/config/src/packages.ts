import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BylawError, messageOf, type Plugin, type Ruleset } from "@bylaw/kernel";
import { missingPackageFix } from "./missing-package.ts";

/** Loads the exports of a package by its name. */
export type PackageLoader = (name: string) => Promise<Readonly<Record<string, unknown>>>;

/** Packages that are bundled with the program: the URL of each entry, by name. They are used if a project has not installed its own. */
export type BundledPackages = Readonly<Record<string, string>>;

/** A package whose code is built into the program. */
export interface BuiltInPackage {
  /** The version that was built in. */
  readonly version: string;
  /** The packages that it imports, by name. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly load: PackageLoader;
}

/** Packages whose code is built into the program, by name. */
export type BuiltInPackages = Readonly<Record<string, BuiltInPackage>>;

/**
 * The loader for a configuration that names these packages. It takes a package from the program if the project would load the same
 * version, or has none. If the project has another version of one of them, or of their dependencies, it returns `beside`, because a
 * kernel must not mix two copies of a plugin.
 */
export function loaderOfContained(
  file: string,
  names: readonly string[],
  contained: BuiltInPackages,
  beside: PackageLoader,
): PackageLoader {
  const { resolve } = createRequire(file);
  const own = (name: string): BuiltInPackage | undefined => {
    const found = Object.hasOwn(contained, name) ? contained[name] : undefined;
    try {
      const manifest = readFileSync(resolve(`${name}/package.json`), "utf8");
      const { version } = JSON.parse(manifest) as { version?: unknown };
      return version === found?.version ? found : undefined;
    } catch (error) {
      // If the project does not have the package, the program's own is used.
      return (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND" ? found : undefined;
    }
  };
  const taken = new Map(names.map((name) => [name, own(name)]));
  // A map also visits entries that are added during the iteration.
  for (const one of taken.values())
    for (const name of Object.keys(one?.dependencies ?? {}))
      if (Object.hasOwn(contained, name) && !taken.has(name)) taken.set(name, own(name));
  if ([...taken.values()].includes(undefined)) return beside;
  return async (name) => {
    const found = taken.get(name) ?? own(name);
    return await (found === undefined ? beside(name) : found.load(name));
  };
}

/** The URL of a package's entry, as a module next to the file would import it. Undefined if it is not installed. */
type PackageResolver = (name: string) => string | undefined;

/** Creates a resolver for packages, as a module next to `file` would find them. */
export async function resolverBeside(file: string): Promise<PackageResolver> {
  // Only jiti can resolve as `import` does from another folder. It is large, so it is loaded on demand.
  const { createJiti } = await import("jiti");
  const jiti = createJiti(file, { fsCache: false, alias: {} });
  return (name) => {
    try {
      const resolved = jiti.esmResolve(name);
      return resolved.startsWith("file:") ? resolved : pathToFileURL(resolved).href;
    } catch {
      return undefined;
    }
  };
}

/**
 * Creates a loader for packages, as a module next to the configuration would find them. Bundled packages serve for those that are
 * not installed.
 */
export async function packageLoaderFor(
  file: string,
  bundled: BundledPackages,
): Promise<PackageLoader> {
  const beside = await resolverBeside(file);
  return async (name) => {
    const url = beside(name) ?? (Object.hasOwn(bundled, name) ? bundled[name] : undefined);
    if (url === undefined) {
      throw new BylawError({
        code: "BYLAW_CONFIG_UNLOADABLE",
        message: `The package \`${name}\` is not installed beside the configuration`,
        fix: missingPackageFix(name, file),
      });
    }
    try {
      return (await import(url)) as Record<string, unknown>;
    } catch (cause) {
      throw new BylawError({
        code: "BYLAW_CONFIG_UNLOADABLE",
        message: `The package \`${name}\` failed to load: ${messageOf(cause)}`,
        cause,
      });
    }
  };
}

/** The paths of the bundled packages that a project has not installed, by name. */
export async function missingBeside(
  file: string,
  bundled: BundledPackages,
): Promise<Readonly<Record<string, string>>> {
  const beside = await resolverBeside(file);
  return Object.fromEntries(
    Object.entries(bundled)
      .filter(([name]) => beside(name) === undefined)
      .map(([name, url]) => [name, fileURLToPath(url)]),
  );
}

/** Creates a plugin from the unchecked options of a configuration file. */
export type UntypedFactory = (options: unknown) => Plugin;

/** The plugin factory that a package exports under its own name. Throws BYLAW_CONFIG_UNLOADABLE. */
export function pluginFactoryOf(
  name: string,
  exports: Readonly<Record<string, unknown>>,
): UntypedFactory {
  return only(
    name,
    exports,
    "plugin",
    "made by `definePlugin`",
    (value): value is UntypedFactory => {
      if (typeof value !== "function" || !("plugin" in value)) return false;
      return (value.plugin as { readonly name?: unknown } | undefined)?.name === name;
    },
  );
}

/** The ruleset that a package exports under its own name. Throws BYLAW_CONFIG_UNLOADABLE. */
export function rulesetOf(name: string, exports: Readonly<Record<string, unknown>>): Ruleset {
  return only(name, exports, "ruleset", "made by `defineRuleset`", (value): value is Ruleset => {
    return (
      typeof value === "object" &&
      value !== null &&
      !("definition" in value) &&
      "name" in value &&
      value.name === name
    );
  });
}

function only<T>(
  name: string,
  exports: Readonly<Record<string, unknown>>,
  kind: string,
  made: string,
  fits: (value: unknown) => value is T,
): T {
  const [found, second] = new Set(Object.values(exports).filter(fits));
  if (found !== undefined && second === undefined) return found;
  throw new BylawError({
    code: "BYLAW_CONFIG_UNLOADABLE",
    message: `The package \`${name}\` exports ${found === undefined ? "no" : "more than one"} ${kind} of that name ${made}`,
    fix:
      kind === "plugin"
        ? "List rulesets under `extends` and plugins under `plugins`; a TypeScript configuration can import anything"
        : "List plugins under `plugins` and rulesets under `extends`",
  });
}
