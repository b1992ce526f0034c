import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { runPath } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { SETTINGS_FILE } from "./resolve.ts";
import { isShared } from "./secret-places.ts";
import type { Settings } from "./settings.ts";

/** Files that a server starts from and is kept in, besides its data folder and its secrets. All are absolute, and may be missing. */
export interface ServerFiles {
  /** Agents neither read nor write them. */
  readonly hidden: readonly string[];
  /** Agents do not write them. */
  readonly kept: readonly string[];
}

/** The files that say how a server starts, whether they are there by now or not. `file`: the one that its settings come from. */
export const settingsFiles = ({ config }: Settings, file: string | undefined): readonly string[] =>
  [SETTINGS_FILE, file, config].flatMap((path) => (path === undefined ? [] : [resolve(path)]));

/** Finds what belongs to a server. `file`: the one that its settings come from. */
export function serverFiles(
  { tls, store, policy, config, status, run }: Settings,
  file: string | undefined,
): ServerFiles {
  const database = databaseOf(store);
  return {
    hidden: [
      // Read by the next start, whether it is there by now or not.
      resolve(SETTINGS_FILE),
      ...(file === undefined ? [] : [resolve(file)]),
      ...(tls === undefined ? [] : [resolve(tls.key)]),
      ...(database === undefined
        ? []
        : ["", "-wal", "-shm", "-journal"].map((end) => `${database}${end}`)),
    ],
    kept: [
      ...policy,
      ...(config === undefined ? [] : [config]),
      ...(status === undefined ? [] : [runPath(status, run, process.cwd())]),
      ...(tls === undefined ? [] : [tls.cert]),
    ].map((path) => resolve(path)),
  };
}

/** The file of a store that is one. */
const databaseOf = (store: string | undefined): string | undefined =>
  store === undefined || isShared(store) ? undefined : resolve(store.replace(/^sqlite:/, ""));

/**
 * Refuses folders in which agents would have the server in their hands. `tested`: tests are run in the workspace, whose tree counts then.
 * Throws BYLAW_SETTINGS_INVALID.
 */
export function checkFolders(
  settings: Pick<Settings, "workspace" | "data" | "store">,
  { tested }: { readonly tested: boolean },
): void {
  const [workspace, data] = [realOf(resolve(settings.workspace)), realOf(resolve(settings.data))];
  const within = namesBelow(workspace, data);
  if (within?.length === 0)
    throw misplaced("data folder", data, "a folder outside it, or to `.bylaw` in it", "data");
  // What changes with every event would make every approval of a workspace stale. `.bylaw` is no part of one.
  if (tested && within !== undefined && within[0] !== ".bylaw")
    throw misplaced("data folder", data, "a folder outside it, or to `.bylaw` in it", "data");
  const database = databaseOf(settings.store);
  // A program can make what is not there yet, such as a journal that the store would take for its own.
  if (
    database === undefined ||
    namesBelow(workspace, realOf(database)) === undefined ||
    namesBelow(data, realOf(database)) !== undefined
  )
    return;
  throw misplaced(
    "store",
    database,
    "a file in the data folder, or outside the workspace",
    "store",
  );
}

const misplaced = (what: string, path: string, allowed: string, setting: string): BylawError =>
  new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: `The ${what} ${quote(path)} is in the workspace, where agents could change it`,
    fix: `Set \`${setting}\` to ${allowed}, or move the workspace with \`workspace\`.`,
  });

/** The names from a folder to what lies in it; nothing for what lies elsewhere. */
function namesBelow(folder: string, path: string): readonly string[] | undefined {
  const way = relative(folder, path);
  const names = way === "" ? [] : way.split(sep);
  return names[0] === ".." || isAbsolute(way) ? undefined : names;
}

/** Where something is, or will be, behind all links. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
