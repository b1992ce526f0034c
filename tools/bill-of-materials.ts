import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The fields of a component of a CycloneDX bill of materials that these scripts read. All others are passed on. */
export interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string };
    readonly expression?: string;
  }[];
  readonly properties?: readonly { readonly name: string }[];
}

/** The fields of a CycloneDX bill of materials that these scripts read. */
export interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The fields of a manifest, or of its entry in the lock file, that these scripts read. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const root = resolve(import.meta.dirname, "..");
const DEVELOPMENT = "cdx:npm:package:development";

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));

/** The name in a reference: `@bylaw/kernel` in `@bylaw/kernel@0.1.0`. */
export const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf("@"));

/**
 * The published packages and everything that they install or contain, as CycloneDX, from the lock file and the built packages. To npm, a
 * package that is also a development dependency of the workspace that needs it is one for development alone. So this takes npm's
 * whole list and walks it from the published packages.
 */
export function runtimeBom(): Bom {
  const whole = wholeBom();
  const needed = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const omitted = namesOmitted();
  const needsOf = (ref: string): readonly string[] =>
    (needed.get(ref) ?? []).filter((one) => omitted.get(ref)?.has(nameOf(one)) !== true);
  const published = publishedFolders().map((folder) => {
    const manifest = readJson(`${folder}/package.json`) as Manifest;
    return { ref: refOf(manifest), contained: containedIn(folder, manifest) };
  });
  const kept = new Map<string, Set<string>>();
  const install = (ref: string): void => {
    if (kept.has(ref)) return;
    if (!needed.has(ref))
      throw new Error(`${ref} is not in package-lock.json. Run \`npm install\`.`);
    kept.set(ref, new Set(needsOf(ref)));
    needsOf(ref).forEach(install);
  };
  for (const { ref } of published) install(ref);
  const inside = new Set(published.flatMap(({ contained }) => contained));
  // What is inside a package is not installed, so of its own needs only what is inside too counts.
  for (const ref of inside)
    if (!kept.has(ref)) kept.set(ref, new Set(needsOf(ref).filter((one) => inside.has(one))));
  for (const { ref, contained } of published) for (const one of contained) kept.get(ref)?.add(one);
  kept.set(whole.metadata.component["bom-ref"], new Set(published.map(({ ref }) => ref)));
  return {
    ...whole,
    // npm names a workspace by its folder.
    components: whole.components
      .filter((one) => kept.has(one["bom-ref"]))
      .map((one) => ({
        ...one,
        name: nameOf(one["bom-ref"]),
        properties: (one.properties ?? []).filter(({ name }) => name !== DEVELOPMENT),
      })),
    dependencies: Array.from(kept, ([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn] })),
  };
}

function wholeBom(): Bom {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    shell: process.platform === "win32",
  });
  return JSON.parse(text) as Bom;
}

/** The names of what npm does not install with a package, though the lock file has it: by the package's reference. */
function namesOmitted(): ReadonlyMap<string, ReadonlySet<string>> {
  const { packages } = readJson("package-lock.json") as {
    readonly packages: Readonly<Record<string, Manifest>>;
  };
  return new Map(
    Object.entries(packages).map(([path, entry]) => {
      const { name = path.slice(path.lastIndexOf("node_modules/") + 13), version = "" } = entry;
      const peers = Object.keys(entry.peerDependencies ?? {});
      const isOptional = (peer: string) => entry.peerDependenciesMeta?.[peer]?.optional === true;
      const needs = { ...entry.dependencies, ...entry.optionalDependencies };
      const installed = [...Object.keys(needs), ...peers.filter((peer) => !isOptional(peer))];
      const others = [...Object.keys(entry.devDependencies ?? {}), ...peers];
      return [
        refOf({ name, version }),
        new Set(others.filter((one) => !installed.includes(one))),
      ] as const;
    }),
  );
}

const refOf = ({ name = "", version = "" }: Pick<Manifest, "name" | "version">): string =>
  `${name}@${version}`;

const publishedFolders = (): readonly string[] =>
  globSync("{packages,plugins,rulesets}/*/package.json", { cwd: root })
    .filter((file) => (readJson(file) as Manifest).private !== true)
    .map(dirname)
    .sort();

// The build copies whole files of these. Bundled modules stand in a list that it writes.
const COPIED: Readonly<Record<string, readonly string[]>> = {
  "@bylaw/cli": ["swagger-ui-dist"],
  "@bylaw/orchestrator": ["swagger-ui-dist"],
};

/** Packages of third parties whose code is inside a built package. */
function containedIn(folder: string, { name = "" }: Manifest): readonly string[] {
  const copied = (COPIED[name] ?? []).map((one) =>
    refOf(readJson(`node_modules/${one}/package.json`) as Manifest),
  );
  const notices = globSync(join(folder, "dist/**/THIRD-PARTY-LICENSES.txt"), { cwd: root });
  if (notices.length === 0 && name === "@bylaw/cli")
    throw new Error("The command is not built. Run `npm run build`.");
  const text = notices.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const headings = text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \([\w.-]+\)$/gm);
  return [...copied, ...Array.from(headings, ([, bundled, version]) => `${bundled}@${version}`)];
}
