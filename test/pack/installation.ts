import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publishable, root } from "../contract/workspaces.ts";

const run = promisify(execFile);

/** All packages that are published, packed into this folder and installed below `all` in it. */
export const folder = mkdtempSync(join(tmpdir(), "bylaw-pack-"));

interface Tarball {
  readonly file: string;
  readonly paths: readonly string[];
}

/** The tarballs by the names of their packages, once `packAndInstall` is done. */
export const tarballs = new Map<string, Tarball>();

/** An older TypeScript that must read our types. It is not a dependency of this repository, as its `tsc` would take the place of ours. */
const OLDER_TYPESCRIPT = { "typescript-5.8": "npm:typescript@5.8.3" } as const;

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// The packages that npm installed for all projects, by their paths below node_modules.
let installed: Readonly<Record<string, Installed>> = {};

export async function packAndInstall(): Promise<void> {
  const selected = publishable.flatMap(({ manifest }) => ["--workspace", manifest.name]);
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--pack-destination", folder, ...selected],
    { cwd: root },
  );
  const packed = Object.values(JSON.parse(stdout) as Record<string, Packed>);
  for (const { name, filename, files } of packed) {
    tarballs.set(name, { file: join(folder, filename), paths: files.map(({ path }) => path) });
  }
  const all = join(folder, "all");
  mkdirSync(all);
  const dependencies = {
    ...OLDER_TYPESCRIPT,
    ...Object.fromEntries([...tarballs].map(([name, { file }]) => [name, `file:${file}`])),
  };
  writeFileSync(
    join(all, "package.json"),
    JSON.stringify({ name: "strangers", version: "1.0.0", private: true, dependencies }),
  );
  const quiet = "--prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error";
  await run("npm", ["install", ...quiet.split(" ")], { cwd: all });
  const lock = readFileSync(join(all, "node_modules/.package-lock.json"), "utf8");
  installed = (JSON.parse(lock) as { readonly packages: typeof installed }).packages;
}

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** The folders of a package and of all its dependencies. */
export function placesFor(name: string): ReadonlySet<string> {
  const linked = new Set<string>();
  const link = (place: string): void => {
    if (linked.has(place)) return;
    linked.add(place);
    const { dependencies, peerDependencies, optionalDependencies } = installed[place] ?? {};
    for (const needed of Object.keys({
      ...dependencies,
      ...peerDependencies,
      ...optionalDependencies,
    })) {
      const at = placeOf(needed, place);
      if (at !== undefined) link(at);
    }
  };
  link(`node_modules/${name}`);
  return linked;
}

/** The size of a package's files, without nested packages. */
export function bytesIn(place: string): number {
  const at = join(folder, "all", place);
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.slice(at.length).includes("node_modules"),
    )
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

// Searches like node: inside the package that needs it, then outwards. An optional one may be missing.
function placeOf(name: string, from: string): string | undefined {
  for (
    let inside = from;
    inside !== "";
    inside = inside.slice(0, Math.max(0, inside.lastIndexOf("node_modules/") - 1))
  ) {
    if (`${inside}/node_modules/${name}` in installed) return `${inside}/node_modules/${name}`;
  }
  return `node_modules/${name}` in installed ? `node_modules/${name}` : undefined;
}
