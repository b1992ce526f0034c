import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { runPath } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { SETTINGS_FILE } from "./resolve.ts";
import { isShared } from "./secret-places.ts";
import type { Settings } from "./settings.ts";

/** Files of a server, other than its data folder and its secrets. All are absolute and may be missing. */
export interface ServerFiles {
  /** Agents must neither read nor write them. */
  readonly hidden: readonly string[];
  /** Agents must not write them. */
  readonly kept: readonly string[];
}

/** The files that determine how a server starts, existing or not. `file`: the one with its settings. */
export const settingsFiles = ({ config }: Settings, file: string | undefined): readonly string[] =>
  [SETTINGS_FILE, file, config].flatMap((path) => (path === undefined ? [] : [resolve(path)]));

/** Finds the files of a server. `file`: the one with its settings. */
export function serverFiles(
  { tls, store, policy, config, status, run }: Settings,
  file: string | undefined,
): ServerFiles {
  const database = databaseOf(store);
  return {
    hidden: [
      // The next start reads it, even if it does not exist yet.
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

/** The database file of a store, if it is one. */
const databaseOf = (store: string | undefined): string | undefined =>
  store === undefined || isShared(store) ? undefined : resolve(store.replace(/^sqlite:/, ""));

/**
 * Refuses folders through which agents could control the server. `tested`: tests run in the workspace, so changes in its tree matter.
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
  // A file that changes with every event would invalidate every approval of a workspace. `.bylaw` does not count as part of one.
  if (tested && within !== undefined && within[0] !== ".bylaw")
    throw misplaced("data folder", data, "a folder outside it, or to `.bylaw` in it", "data");
  const database = databaseOf(settings.store);
  // A program can create a missing file, such as a journal that the store would take for its own.
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

/** The path from a folder to something inside it, in parts. `undefined` for anything outside. */
function namesBelow(folder: string, path: string): readonly string[] | undefined {
  const way = relative(folder, path);
  const names = way === "" ? [] : way.split(sep);
  return names[0] === ".." || isAbsolute(way) ? undefined : names;
}

/** The real path of something that may not exist yet. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
