import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { foundPaths } from "./found-paths.ts";
import type { FoundRef } from "./path-refs.ts";
import { readIndex, repositoryAt } from "./git-index.ts";
import { mayDiffer } from "./index-fields.ts";
import { mayName } from "./name-glob.ts";
import { hasMeaning, isOneWord } from "./path-text.ts";
import type { GlobLookup } from "./real-globs.ts";

/**
 * The paths below a folder that git tracks now, also as they are if their names are printed from the top of the repository. Undefined if
 * there are too many, the index cannot be read, a name would be read as a different path, or more than a file is there now.
 */
export function trackedPaths(
  folder: string,
  ref: FoundRef,
  lookup: GlobLookup,
): readonly string[] | undefined {
  const { only, splits, expands, tracked, changed, recursive } = ref;
  const real = realOf(folder);
  // The index may hold names below an operand that is not there any more.
  if (real === undefined && tracked === "below") return undefined;
  const repository = real === undefined ? "none" : repositoryAt(real);
  // Git prints nothing here, unless its environment names a repository.
  if (real === undefined || repository === "none")
    return foundPaths(folder, recursive ? { ...ref, only: undefined } : ref, lookup);
  const index = repository && readIndex(repository);
  if (repository === undefined || index === undefined) return undefined;
  if (changed && index.entries.length > MAX_STATES) return undefined;
  if (tracked === "below" && !isOperandOf(repository.top, folder)) return undefined;
  const inside = real.slice(repository.top.length).replace(/^\//, "");
  const start = inside === "" ? "" : `${inside}/`;
  const at = folder.replace(/\/+$/, "");
  const found = new Set<string>();
  const folders = new Map<string, boolean>();
  for (const { name, fields } of index.entries) {
    const isInside = name.startsWith(start);
    if (!isInside && tracked !== "top") continue;
    const path = `${repository.top}/${name}`;
    if (changed && isPlainFolder(dirname(path), folders) && !mayDiffer(path, fields, index.time))
      continue;
    if (isInside) found.add(name.slice(start.length));
    if (tracked === "top") found.add(name);
  }
  const wanted = [...found].filter(
    (name) =>
      only === undefined ||
      only.some((glob) => mayName(glob, name.slice(name.lastIndexOf("/") + 1))),
  );
  const paths = wanted.map((name) => `${at}/${name}`);
  const isKnown = wanted.every(
    (name, index) =>
      lookup.count() &&
      PLAIN.test(name) &&
      (!splits || (isOneWord(name, expands) && !hasMeaning(name))) &&
      !(recursive && /^(folder|link|hidden)$/.test(lookup.kindOf(paths[index] ?? ""))),
  );
  return isKnown ? paths : undefined;
}

/**
 * The files below a folder, or from the top of its repository on, that git tracks and that count. Git prints them also if they are not there
 * now. Undefined if there are too many, or the index cannot be read.
 */
export function trackedBelow(
  folder: string,
  { fromTop }: Pick<FoundRef, "fromTop">,
  lookup: GlobLookup,
  counts: (path: string) => boolean,
): readonly string[] | undefined {
  let start = folder.replace(/\/+$/, "");
  while (realOf(start) === undefined) start = dirname(start);
  const real = `${realOf(start)}${folder.slice(start.length)}`.replace(/\/+$/, "");
  const repository = repositoryAt(realOf(start) ?? "/");
  if (repository === "none") return [];
  const index = repository && readIndex(repository, { submodules: true });
  if (repository === undefined || index === undefined) return undefined;
  const found = index.entries
    .map(({ name }) => `${repository.top}/${Buffer.from(name, "latin1").toString()}`)
    .filter((path) => (fromTop || `${path}/`.startsWith(`${real}/`)) && counts(path));
  return found.every(() => lookup.count()) ? found : undefined;
}

// Whether git, started in a parent folder, works in this repository, and the folder is not behind a link.
function isOperandOf(top: string, folder: string): boolean {
  if (top !== "/" && repositoryAt(dirname(top)) !== "none") return false;
  for (let at = folder; realOf(at) !== top; at = dirname(at))
    if (at === dirname(at) || realOf(at) !== `${realOf(dirname(at))}/${basename(at)}`) return false;
  return true;
}

// To git, a file behind a link is deleted.
function isPlainFolder(folder: string, known: Map<string, boolean>): boolean {
  let isPlain = known.get(folder);
  if (isPlain === undefined) known.set(folder, (isPlain = realOf(folder) === folder));
  return isPlain;
}

// Looking at the state of so many files takes about 50 ms.
const MAX_STATES = 10_000;

// Git may print any other name in quotes.
const PLAIN = /^[ -~]+$/;

function realOf(folder: string): string | undefined {
  try {
    return realpathSync(folder === "" ? "/" : folder);
  } catch {
    return undefined;
  }
}
