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

interface Manifest extends Readonly<
  Record<"dependencies" | "optionalDependencies" | "peerDependencies", object | undefined>
> {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  /** Relative to the root. */
  readonly folder: string;
}

const root = resolve(import.meta.dirname, "..");
const DEVELOPMENT = "cdx:npm:package:development";

/** The name in a reference: `@bylaw/kernel` in `@bylaw/kernel@0.1.0`. */
export const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf("@"));

/**
 * The published packages and everything that they install or contain, as CycloneDX, from the lock file and the built packages. `npm sbom --omit dev` leaves out every
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
  const manifests = publishedManifests();
  const published = new Map(
    manifests.map((manifest) => [refOf(manifest), runtimeNames(manifest)] as const),
  );
  const contained = new Map(
    manifests.map((manifest) => [refOf(manifest), containedIn(manifest)] as const),
  );
  const allContained = new Set([...contained.values()].flat());
  const components = new Map(
    whole.components.map((component) => [component["bom-ref"], component]),
  );
  const needs = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const isRuntime = (ref: string): boolean =>
    allContained.has(ref) ||
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
      if (!kept.has(ref)) kept.set(ref, [...new Set([...own, ...(contained.get(ref) ?? [])])]);
    }
  }
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
    dependencies: [...kept].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

const refOf = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `${name}@${version}`;

const publishedManifests = (): readonly Manifest[] =>
  globSync("{packages,plugins,rulesets}/*/package.json", { cwd: root })
    .sort()
    .map((file) => ({
      ...(JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest),
      folder: dirname(file),
    }))
    .filter((manifest) => manifest.private !== true);

const runtimeNames = ({
  dependencies,
  optionalDependencies,
  peerDependencies,
}: Manifest): ReadonlySet<string> =>
  new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));

// The build copies whole files of these. Bundled modules stand in a list that it writes.
const COPIED: Readonly<Record<string, readonly string[]>> = {
  "@bylaw/cli": ["chart.js", "swagger-ui-dist"],
  "@bylaw/orchestrator": ["swagger-ui-dist"],
};

/** Packages of third parties whose code is inside a built package. */
function containedIn({ name, folder }: Manifest): readonly string[] {
  const copied = (COPIED[name] ?? []).map((one) =>
    refOf(JSON.parse(readFileSync(join(root, "node_modules", one, "package.json"), "utf8"))),
  );
  const [notices] = globSync(join(folder, "dist/THIRD-PARTY-LICENSES.txt"), { cwd: root });
  if (notices === undefined && name === "@bylaw/cli")
    throw new Error("The command is not built. Run `npm run build`.");
  const text = notices === undefined ? "" : readFileSync(join(root, notices), "utf8");
  const headings = text.matchAll(/(?:^|-{80}\n\n)(\S+) (\d\S+) \(.+\)\n/g);
  return [...copied, ...Array.from(headings, ([, bundled, version]) => `${bundled}@${version}`)];
}
