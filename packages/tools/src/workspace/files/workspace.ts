import { realpath, stat } from "node:fs/promises";
import { BylawError } from "@bylaw/kernel";
import type { CallContext } from "../../tool.ts";
import type { WorkspaceToolsOptions } from "../options.ts";
import { Folder } from "./folder.ts";
import { guardsOf, type Guards } from "./guards.ts";
import { segmentsOf, type Root } from "./segments.ts";

/** The folder of a task during one call. */
export interface Workspace extends Root, Guards {
  /** The parts of a path, from the workspace. Throws BYLAW_PLACE_REFUSED. */
  readonly segments: (path: string) => readonly string[];
}

/** One member of a folder that is held open. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
  /** From the workspace. */
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

/** Works with a member of the folder that it lies in, which is held open and made where it is to be. Throws as `Folder` does. */
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

/** Works with a folder, which is held open. Throws as `Folder` does. */
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
