import { realpath, stat } from "node:fs/promises";
import { BylawError } from "@bylaw/kernel";
import type { CallContext } from "../../tool.ts";
import type { WorkspaceToolsOptions } from "../options.ts";
import { Folder } from "./folder.ts";
import { guardsOf, type Guards } from "./guards.ts";
import { segmentsOf, type Root } from "./segments.ts";

/** The folder for the work on a task, during one call. */
export interface Workspace extends Root, Guards {
  /** Splits a path into names, relative to the workspace. Throws BYLAW_PLACE_REFUSED. */
  readonly segments: (path: string) => readonly string[];
}

/** A member of an open folder. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
  /** The path relative to the workspace. */
  readonly path: string;
}

/** The workspace of a call. Throws BYLAW_WORKSPACE_MISSING. */
export async function workspaceOf(
  { workspace: given }: CallContext,
  options: WorkspaceToolsOptions,
): Promise<Workspace> {
  const real = given === undefined ? undefined : await realpath(given).catch(() => undefined);
  if (given === undefined || real === undefined || !(await stat(real)).isDirectory())
    throw new BylawError({
      code: "BYLAW_WORKSPACE_MISSING",
      message:
        given === undefined
          ? "There is no workspace"
          : `The workspace \`${given}\` is not a folder`,
      fix: "Start the service with the folder that agents work in",
    });
  const root = { given: given.replace(/(?<=.)\/+$/, ""), real };
  return {
    ...root,
    ...(await guardsOf(root, options.hidden ?? [], options.protect ?? [])),
    segments: (path) => segmentsOf(path, root),
  };
}

/** Opens the folder of a path, and creates it if `make` is set, then runs work on the member. Throws the errors of `Folder`. */
export async function atPlace<T>(
  { real }: Workspace,
  segments: readonly string[],
  { make = false }: { readonly make?: boolean },
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const name = segments.at(-1) ?? ".";
  return inFolder(real, segments.slice(0, -1), { make }, (folder) =>
    work({ folder, name, path: folder.pathOf(name) }),
  );
}

/** Opens a folder and runs work on it. Throws the errors of `Folder`. */
export async function inFolder<T>(
  real: string,
  segments: readonly string[],
  { make = false }: { readonly make?: boolean },
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  let folder = await Folder.open(real);
  try {
    for (const name of segments) {
      const next = await folder.enter(name, { make });
      await folder.close();
      folder = next;
    }
    return await work(folder);
  } finally {
    await folder.close();
  }
}
