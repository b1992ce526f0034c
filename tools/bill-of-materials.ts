import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

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

interface Manifest extends Readonly<
  Record<"dependencies" | "optionalDependencies" | "peerDependencies", object | undefined>
> {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
}

const root = resolve(import.meta.dirname, "..");
const DEVELOPMENT = "cdx:npm:package:development";

/** The name in a reference: `@bylaw/kernel` in `@bylaw/kernel@0.1.0`. */
export const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf("@"));

/**
 * The published packages and everything that they install, as CycloneDX, from the lock file. `npm sbom --omit dev` leaves out every
 * package that is a development dependency anywhere, so this takes npm's whole list and walks it from the published packages.
 */
export function runtimeBom(): Bom {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const whole = JSON.parse(
    execFileSync("npm", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      shell: process.platform === "win32",
    }),
  ) as Bom;
  const published = new Map(
    publishedManifests().map((manifest) => [
      `${manifest.name}@${manifest.version}`,
      runtimeNames(manifest),
    ]),
  );
  const components = new Map(
    whole.components.map((component) => [component["bom-ref"], component]),
  );
  const needs = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const isRuntime = (ref: string): boolean =>
    components.get(ref)?.properties?.some(({ name }) => name === DEVELOPMENT) !== true;
  const kept = new Map([[whole.metadata.component["bom-ref"], [...published.keys()]]]);
  // Iterating over a map also visits entries that are added meanwhile, so each reference is visited once.
  for (const refs of kept.values()) {
    for (const ref of refs) {
      if (!components.has(ref))
        throw new Error(`${ref} is not in package-lock.json. Run \`npm install\`.`);
      const names = published.get(ref);
      const own = (needs.get(ref) ?? []).filter(
        (needed) => isRuntime(needed) && (names?.has(nameOf(needed)) ?? true),
      );
      if (!kept.has(ref)) kept.set(ref, own);
    }
  }
  return {
    ...whole,
    // npm names a workspace by its folder.
    components: whole.components
      .filter((one) => kept.has(one["bom-ref"]))
      .map((one) => ({ ...one, name: nameOf(one["bom-ref"]) })),
    dependencies: [...kept].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

const publishedManifests = (): readonly Manifest[] =>
  globSync("{packages,plugins,rulesets}/*/package.json", { cwd: root })
    .sort()
    .map((file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest)
    .filter((manifest) => manifest.private !== true);

const runtimeNames = ({
  dependencies,
  optionalDependencies,
  peerDependencies,
}: Manifest): ReadonlySet<string> =>
  new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
