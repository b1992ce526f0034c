import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "@bylaw/kernel";
import { npmPack, unreadable } from "./npm.ts";

/** Where a package lies. */
export interface PackagePlace {
  /** As the command line names it. */
  readonly named: string;
  /** Absolute, with links followed. */
  readonly folder: string;
  /** All its files were published; else npm chooses. */
  readonly installed: boolean;
  /** The name that it has to have, where it was named by it. */
  readonly name?: string;
}

/**
 * Does something with packages: a folder, a tarball of npm, the name of an installed package, or `NAME@VERSION` from the registry. What is
 * unpacked for it is removed. Throws BYLAW_RULESET_UNREADABLE.
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

const PUBLISHED = /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(@[\w.+-]+)?$/;

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
  const { filename } = await npmPack([named, "--pack-destination", into], into);
  // The name of a scope stands in the file's name without its slash, and in what older npm says of it with one.
  const file = String(filename).replace(/^@/, "").replaceAll("/", "-");
  return { ...(await unpacked(named, join(into, file), into)), name };
}

function at(named: string, folder: string): PackagePlace {
  const real = realpathSync(folder);
  return { named, folder: real, installed: real.split(sep).includes("node_modules") };
}

/** The folder of a package that a module here would import. */
function installed(name: string): string {
  for (let above = process.cwd(); ; above = dirname(above)) {
    const folder = join(above, "node_modules", name);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
    if (above === dirname(above))
      throw unreadable(`There is no folder \`${name}\` here, and no installed package`, {
        fix: `Run \`npm install ${name}\`, or add a version: \`${name}@1.0.0\``,
      });
  }
}

async function unpacked(named: string, file: string, into: string): Promise<PackagePlace> {
  try {
    // `o`: the files are ours, whoever packed them.
    await promisify(execFile)("tar", ["-xzof", file, "-C", into]);
  } catch (cause) {
    throw unreadable(`${named} is not a tarball of npm: ${messageOf(cause).split("\n")[1] ?? ""}`, {
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
