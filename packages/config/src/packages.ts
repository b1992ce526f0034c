import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BylawError, messageOf, type Plugin, type Ruleset } from "@bylaw/kernel";

/** The exports of a package, by its name. */
export type PackageLoader = (name: string) => Promise<Readonly<Record<string, unknown>>>;

/** Packages that come with the program, by name: the URL of their entry. They serve where a project has none of its own. */
export type BundledPackages = Readonly<Record<string, string>>;

/** A package whose code is built into the program. */
export interface ContainedPackage {
  /** Its entry, as the program would import it. */
  readonly url: string;
  /** The version that was built in. */
  readonly version: string;
  readonly load: PackageLoader;
}

/** Packages whose code is built into the program, by name. */
export type ContainedPackages = Readonly<Record<string, ContainedPackage>>;

/**
 * The loader of contained packages, for a configuration that names no others. Undefined where a project has another copy or version
 * of any of them: parts of two copies of a plugin cannot be in one kernel.
 */
export function loaderOfContained(
  file: string,
  names: readonly string[],
  contained: ContainedPackages,
): PackageLoader | undefined {
  if (!names.every((name) => Object.hasOwn(contained, name))) return undefined;
  const { resolve } = createRequire(file);
  const isSame = ([name, { url, version }]: readonly [string, ContainedPackage]): boolean => {
    try {
      if (pathToFileURL(resolve(name)).href !== url) return false;
      const manifest = readFileSync(resolve(`${name}/package.json`), "utf8");
      return (JSON.parse(manifest) as { readonly version?: unknown }).version === version;
    } catch (error) {
      // The program's own serves where a project has none.
      return (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND";
    }
  };
  if (!Object.entries(contained).every(isSame)) return undefined;
  return async (name) => (await contained[name]?.load(name)) ?? {};
}

/** Finds packages beside one file: the URL of an entry as a module there would import it, or nothing. */
type PackageResolver = (name: string) => string | undefined;

/** Makes the resolver of the packages beside a file. */
async function resolverBeside(file: string): Promise<PackageResolver> {
  // Only jiti resolves as `import` does from another folder; it is large, so it comes when it is needed.
  const { createJiti } = await import("jiti");
  const jiti = createJiti(file, { fsCache: false });
  return (name) => {
    try {
      const resolved = jiti.esmResolve(name);
      return resolved.startsWith("file:") ? resolved : pathToFileURL(resolved).href;
    } catch {
      return undefined;
    }
  };
}

/** Makes the loader of the packages that stand beside a configuration file. */
export async function packagesBeside(
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
        fix: `Run \`npm install ${name}\``,
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

/** The bundled packages that a project lacks, as paths. */
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

/** Makes a plugin from options as a file wrote them. */
export type UntypedFactory = (options: unknown) => Plugin;

/** The plugin that a package exports under its own name. Throws BYLAW_CONFIG_UNLOADABLE. */
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
