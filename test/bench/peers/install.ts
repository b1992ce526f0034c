import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of the peers. It lies outside what npm installs for the workspace, so that `npm ci` of the workspace stays small. */
const folder = join(import.meta.dirname, "../../../node_modules/.cache/bench-peers");
const lock = join(import.meta.dirname, "package-lock.json");
const stamp = join(folder, "installed");

/** Installs the peers from their lockfile, unless they are installed. Runs none of their scripts. */
export function installPeers(): void {
  const wanted = readFileSync(lock, "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("installing the peers, about 400 MB, once …");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    cpSync(join(import.meta.dirname, file), join(folder, file));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(stamp, wanted);
}

const require = createRequire(join(folder, "package.json"));

/** Imports a module of the peers by package name or by its path below their node_modules. */
export async function importPeer<T>(name: string): Promise<T> {
  const path = name.endsWith(".js") ? join(folder, "node_modules", name) : require.resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}

/** The installed version of a peer. */
export function versionOf(name: string): string {
  return (
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")) as {
      readonly version: string;
    }
  ).version;
}
