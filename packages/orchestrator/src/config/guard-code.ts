import { existsSync, statSync, readdirSync, type Dirent } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { prose } from "@bylaw/wording";
import { pathInto } from "./path-into.ts";
import { PathReader } from "./path-reader.ts";
import { findServerCode, type ServerCode, type StartupPath } from "./server-code.ts";
import { realOf } from "./server-files.ts";

interface CodeOptions {
  /** Absolute, and exists. */
  readonly workspace: string;
  /** The files of settings and the configuration, absolute. They may be missing. */
  readonly settings: readonly string[];
}

/**
 * Refuses a workspace in which agents could change what the server runs: its modules, what starts it, or its settings. Returns the places
 * that agents must not write. Throws BYLAW_SERVER_WRITABLE.
 */
export function guardCode({ workspace, settings }: CodeOptions): readonly string[] {
  const reader = new PathReader();
  const code = findServerCode(reader);
  const pathOf = pathInto(workspace, reader);
  const places: readonly StartupPath[] = [
    ...paths(settings),
    ...code.startupPaths,
    ...paths([...code.packages, ...code.files, ...code.lookups]),
  ];
  for (const place of places) {
    const way = pathOf(place.path);
    if (way !== undefined) throw writable(workspace, place, way);
  }
  // Node looks for packages in every folder above, so agents who can write there could add one.
  const above = foldersTo(reader.realOf(workspace));
  const lookup = code.lookups.find((folder) => above.includes(reader.realOf(folder)));
  if (lookup !== undefined) throw writable(workspace, { path: lookup });
  const shared = sharedFile(workspace, code.files, reader);
  if (shared !== undefined)
    throw exposed(
      `${named(shared.file)} is the same file as ${named(shared.inside)}`,
      "Install one of the two by copying, not by hard links: with npm, or with `package-import-method=copy` in pnpm.",
    );
  return keptOf(code, { settings, above, reader });
}

const paths = (all: readonly string[]): readonly StartupPath[] => all.map((path) => ({ path }));

interface KeptOptions {
  readonly settings: readonly string[];
  /** The workspace and the folders above it. */
  readonly above: readonly string[];
  readonly reader: PathReader;
}

/** The places to protect, none inside another. A whole folder is protected unless it contains the workspace. */
function keptOf(
  { startupPaths, packages, files }: ServerCode,
  { settings, above, reader }: KeptOptions,
): readonly string[] {
  const realOf = (path: string): string => reader.realOf(path);
  const firstOf = (...places: readonly (string | undefined)[]): string | undefined =>
    places.find((place) => place !== undefined && !above.includes(place));
  const folders = new Set([...files.map((file) => dirname(file)), ...packages]);
  const single = [
    ...files,
    ...[...settings, ...startupPaths.map(({ path }) => path).filter(isFile)].map(realOf),
  ];
  const places = [
    // Folders, because a missing file of settings could be created there.
    ...settings.map((path) => firstOf(dirname(realOf(path)))),
    ...Array.from(folders, (folder) => {
      const path = realOf(folder);
      return firstOf(modulesFolderOf(path)) ?? firstOf(...packagesAbove(path, reader), path);
    }),
    // Folders in which programs are looked up are protected by the containment of programs.
    ...single.map((path) => firstOf(modulesFolderOf(path), path)),
  ];
  const kept = new Set(places.filter((place) => place !== undefined));
  return [...kept].filter((path) => !foldersTo(dirname(path)).some((folder) => kept.has(folder)));
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The outermost `node_modules` folder of a path. */
function modulesFolderOf(path: string): string | undefined {
  const name = `${sep}node_modules`;
  const start = `${path}${sep}`.indexOf(`${name}${sep}`);
  return start === -1 ? undefined : path.slice(0, start + name.length);
}

/** The packages that contain a path, the outermost first. */
const packagesAbove = (path: string, reader: PathReader): readonly string[] =>
  foldersTo(path)
    .filter((folder) => reader.exists(join(folder, "package.json")))
    .reverse();

/** A folder and those above it. */
const foldersTo = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [path, ...foldersTo(dirname(path))];

function writable(
  workspace: string,
  { path, variable }: StartupPath,
  way: string = path,
): BylawError {
  const what =
    variable === undefined ? named(path) : `${named(path)}, which \`${variable}\` names,`;
  const where =
    join(realOf(dirname(path)), basename(path)) === way || path === way
      ? "is in"
      : `leads to ${named(way)} in`;
  return exposed(
    `${what} ${where} the workspace ${named(workspace)}`,
    variable === undefined
      ? `Install and start the server in a folder outside the workspace, and name the workspace there: \`bylaw serve --workspace ${prose(workspace, 400)}\``
      : `Remove it from \`${variable}\`, or move the workspace with \`workspace\`.`,
  );
}

const exposed = (why: string, fix: string): BylawError =>
  new BylawError({
    code: "BYLAW_SERVER_WRITABLE",
    message: `Agents could change what the server runs: ${why}`,
    fix,
  });

const named = (path: string): string => `\`${prose(path, 400)}\``;

/**
 * Finds a file that also has a name in the given folder. Package managers link one copy of a package into many projects, and a write to one
 * changes all. The folder is only searched if a file has more than one name.
 */
function sharedFile(
  folder: string,
  files: readonly string[],
  reader: PathReader,
): { readonly file: string; readonly inside: string } | undefined {
  const linked = new Map(
    files.filter((file) => reader.namesOf(file) > 1).map((file) => [reader.identityOf(file), file]),
  );
  if (linked.size === 0) return undefined;
  for (const inside of filesIn(folder)) {
    if (reader.namesOf(inside) < 2) continue;
    const file = linked.get(reader.identityOf(inside));
    if (file !== undefined) return { file, inside };
  }
  return undefined;
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) yield* filesIn(join(folder, entry.name));
    else if (entry.isFile()) yield join(folder, entry.name);
  }
}

// Agents may close or remove folders meanwhile, which must not keep a server from starting.
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
