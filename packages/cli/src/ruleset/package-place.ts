import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { installedPackage } from "@bylaw/config";
import { messageOf } from "@bylaw/kernel";
import { npmPack, unreadable } from "./npm.ts";

/** The place of a package. */
export interface PackagePlace {
  /** The name or path on the command line. */
  readonly named: string;
  /** The absolute path of the folder, with links resolved. */
  readonly folder: string;
  /** Whether npm has installed it, so that all of its files were published. If not, npm selects the files to publish. */
  readonly installed: boolean;
  /** The name that the package must have, if it was named by it. */
  readonly name?: string;
}

/**
 * Runs work on packages: a folder, an npm tarball, the name of an installed package, or `NAME@VERSION` from the registry. Unpacked files
 * are removed afterwards. Throws BYLAW_RULESET_UNREADABLE.
 */
export async function withPackages<T>(
  named: readonly string[],
  work: (places: readonly PackagePlace[]) => Promise<T>,
): Promise<T> {
  const temporary = mkdtempSync(join(tmpdir(), "bylaw-ruleset-"));
  try {
    const places: PackagePlace[] = [];
    for (const one of named)
      places.push(await placeOf(one, () => mkdtempSync(join(temporary, "package-"))));
    return await work(places);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

// A version or a tag. npm would take `name@..` or `name@x.tar` for a path.
const PUBLISHED =
  /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(@(?:\d+\.\d+\.\d+(?:[+-][\w.+-]+)?|[a-z][a-z0-9-]*))?$/;

async function placeOf(named: string, folder: () => string): Promise<PackagePlace> {
  const found = statSync(named, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return at(named, resolve(named));
  if (found !== undefined) return await unpacked(named, resolve(named), folder());
  const [, name, version] = PUBLISHED.exec(named) ?? [];
  if (name === undefined || named.endsWith(".tgz"))
    throw unreadable(`File not found: ${named}`, {
      fix: "Name a folder, a tarball, an installed package, or `NAME@VERSION`",
    });
  if (version === undefined) return { ...at(named, installed(name)), name };
  const into = folder();
  // Beside the project, whose `.npmrc` says which registry has its packages: another one may hold somebody else's of that name.
  const { filename } = await npmPack([named, "--pack-destination", into], process.cwd());
  // The file name contains the scope without its slash. Older versions of npm report it with a slash.
  const file = String(filename).replace(/^@/, "").replaceAll("/", "-");
  return { ...(await unpacked(named, join(into, file), into)), name };
}

function at(named: string, folder: string): PackagePlace {
  const real = realpathSync(folder);
  return { named, folder: real, installed: real.split(sep).includes("node_modules") };
}

/** The folder of a package, as a module here would import it. */
function installed(name: string): string {
  const folder = installedPackage(join(process.cwd(), "package.json"), name);
  if (folder !== undefined) return folder;
  throw unreadable(`There is neither a folder nor an installed package \`${name}\``, {
    fix: `Run \`npm install ${name}\`, or add a version: \`${name}@1.0.0\``,
  });
}

async function unpacked(named: string, file: string, into: string): Promise<PackagePlace> {
  try {
    // `o`: the files belong to this user, whoever packed them.
    await promisify(execFile)("tar", ["-xzof", file, "-C", into]);
  } catch (cause) {
    throw unreadable(`${named} is not an npm tarball: ${messageOf(cause).split("\n")[1] ?? ""}`, {
      fix: "Name what `bylaw ruleset pack` wrote",
      cause,
    });
  }
  const folder = join(into, "package");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw unreadable(`${named} holds no folder \`package\``, {
      fix: "Name what `bylaw ruleset pack` wrote",
    });
  return { named, folder: realpathSync(folder), installed: true };
}
