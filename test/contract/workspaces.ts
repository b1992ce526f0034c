import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync } from "oxc-parser";

/** The fields of a package.json that these tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: boolean;
  readonly engines?: { readonly node?: string };
  readonly repository?: { readonly directory?: string };
  readonly files?: readonly string[];
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly keywords?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** One package of the repository. */
export interface Workspace {
  /** Relative to the root, with slashes: `packages/kernel`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The root folder of the repository, absolute. */
export const root = resolve(import.meta.dirname, "../..");

/** Files below the root, sorted, with slashes. Leaves out built and installed files. */
export function filesAt(pattern: string, folder = ""): readonly string[] {
  return globSync(pattern, {
    cwd: join(root, folder),
    exclude: (entry) => SKIPPED.has(entry.name),
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  ".git",
  ".turbo",
  "coverage",
  // Compiled code of the command.
  "compiled",
]);

/** The text of a file, named relative to the root. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

const read = (file: string): Workspace => ({
  folder: dirname(file),
  manifest: JSON.parse(textOf(file)) as Manifest,
});

/** Every package, plugin and ruleset, found by glob. */
export const workspaces: readonly Workspace[] = filesAt(
  "{packages,plugins,rulesets}/*/package.json",
).map(read);

/** The package of the tests themselves. */
export const testWorkspace: Workspace = read("test/package.json");

/** The packages that are published. */
export const publishable: readonly Workspace[] = workspaces.filter(
  ({ manifest }) => manifest.private !== true,
);

/** The plugins. */
export const plugins: readonly Workspace[] = workspaces.filter(({ folder }) =>
  folder.startsWith("plugins/"),
);

/** The root manifest. */
export const rootManifest: Manifest = read("package.json").manifest;

/** One `import`, `export … from` or `import()` in a file. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
}

/** The imports of a TypeScript file, types included. The specifier of a computed import is `*`. */
export function importsOf(file: string): readonly Import[] {
  const source = textOf(file);
  const { module, errors } = parseSync(file, source);
  if (errors.length > 0)
    throw new Error(`Unexpected syntax in ${file}: ${errors[0]?.message ?? ""}`);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => {
    const literal = /^(["'`])([^$]*)\1$/.exec(source.slice(start, end));
    return literal?.[2] ?? "*";
  });
  const reexported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value])),
  );
  const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  return [...new Set([...imported, ...reexported, ...dynamic])].map((specifier) => ({
    file,
    specifier,
  }));
}

/** The package name in an import specifier: `zod` for `zod/v4`, `@bylaw/kernel` for `@bylaw/kernel/x`. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
