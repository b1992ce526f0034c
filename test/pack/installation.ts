import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publishable, root } from "../contract/workspaces.ts";

const run = promisify(execFile);

/** All packages that are published, packed into this folder and unpacked below `all` in it. */
export const folder = mkdtempSync(join(tmpdir(), "bylaw-pack-"));

interface Tarball {
  readonly file: string;
  readonly paths: readonly string[];
}

/** The tarballs by the names of their packages, once `packAndInstall` is done. */
export const tarballs = new Map<string, Tarball>();

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// What is installed for all projects, by its path.
let installed: Readonly<Record<string, Installed>> = {};

/** Lays our tarballs out as npm does. All other packages are links to those that npm has installed in this repository. */
export async function packAndInstall(): Promise<void> {
  const selected = publishable.flatMap(({ manifest }) => ["--workspace", manifest.name]);
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--pack-destination", folder, ...selected],
    { cwd: root },
  );
  const modules = join(folder, "all/node_modules");
  linkModules(modules);
  const lock = readFileSync(join(root, "node_modules/.package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { readonly packages: typeof installed };
  const own: (readonly [string, Installed])[] = [];
  for (const { name, filename, files } of Object.values(
    JSON.parse(stdout) as Record<string, Packed>,
  )) {
    const file = join(folder, filename);
    tarballs.set(name, { file, paths: files.map(({ path }) => path) });
    const place = join(modules, name);
    mkdirSync(place, { recursive: true });
    await run("tar", ["-xzf", file, "-C", place, "--strip-components=1"]);
    const source = publishable.find(({ manifest }) => manifest.name === name)?.folder ?? name;
    const nested = join(root, source, "node_modules");
    if (existsSync(nested)) symlinkSync(nested, join(place, "node_modules"));
    for (const [path, entry] of Object.entries(packages))
      if (`${path}/`.startsWith(`${source}/`))
        own.push([`node_modules/${name}${path.slice(source.length)}`, entry]);
  }
  installed = { ...packages, ...Object.fromEntries(own) };
}

function linkModules(modules: string): void {
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@bylaw" && name !== "create-bylaw")
      symlinkSync(join(root, "node_modules", name), join(modules, name));
}

/** Installs an older TypeScript, which is no dependency of this repository, as its `tsc` would take the place of ours. */
export async function installTypescript(version: string): Promise<string> {
  const at = join(folder, version);
  mkdirSync(at);
  const quiet = "--prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error";
  await run("npm", ["install", ...quiet.split(" "), `typescript@${version}`], { cwd: at });
  return join(at, "node_modules/typescript/bin/tsc");
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
