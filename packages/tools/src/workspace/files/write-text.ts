import { Folder, codeOf } from "./folder.ts";
import { unfit } from "./refused.ts";
import { stateOf } from "./text.ts";
import type { Place, Workspace } from "./workspace.ts";

export interface Written {
  readonly bytes: number;
  readonly created: boolean;
  /** Whether the file had other names, whose content did not change. */
  readonly parted: boolean;
}

// The folder in which a file is written before it is moved into place. What a killed process leaves here is in no search and no commit.
const ASIDE = [".bylaw", "tmp"];

/**
 * Replaces the text of a file in one step: a reader sees the old text or the new one, and a link in its place is replaced and not followed.
 * With `state`, writes only if the file has not changed since it was read. Throws the errors of `Folder.replaceable`, and BYLAW_FILE_UNFIT
 * if the file has changed.
 */
export async function writeText(
  { real }: Workspace,
  place: Place,
  text: string,
  { state }: { readonly state?: string } = {},
): Promise<Written> {
  const aside = await asideOf(real);
  try {
    if (aside !== undefined) return await put(aside, place, text, state);
  } catch (error) {
    // The folder is on another file system.
    if (codeOf(error) !== "EXDEV") throw error;
  } finally {
    await aside?.close();
  }
  return put(place.folder, place, text, state);
}

/** The folder in which files are written first, which git ignores. Undefined if it cannot be used. */
async function asideOf(real: string): Promise<Folder | undefined> {
  let folder: Folder | undefined;
  try {
    folder = await Folder.open(real);
    for (const name of ASIDE) {
      const next: Folder = await folder.enter(name, { make: true });
      await folder.close();
      folder = next;
    }
    if ((await folder.kindOf(".gitignore")) === undefined) {
      const handle = await folder.create(".gitignore", 0o666);
      await handle.writeFile("*\n").finally(() => handle.close());
    }
    return folder;
  } catch (error) {
    // Another call created it at the same time.
    if (codeOf(error) === "EEXIST") return folder;
    await folder?.close();
    return undefined;
  }
}

async function put(
  aside: Folder,
  { folder, name, path }: Place,
  text: string,
  state: string | undefined,
): Promise<Written> {
  const before = await folder.replaceable(name);
  const own = `.bylaw-${globalThis.crypto.randomUUID()}.tmp`;
  const bytes = new TextEncoder().encode(text);
  const handle = await aside.create(own, 0o666);
  try {
    try {
      await handle.writeFile(bytes);
      // Without setuid and setgid, so that no program of an agent gets the rights of another user or group.
      if (before !== undefined) await handle.chmod(before.mode & 0o777);
    } finally {
      await handle.close();
    }
    const now = await folder.replaceable(name);
    if (state !== undefined && (now === undefined || stateOf(now) !== state))
      throw unfit(path, "changed since it was read", "Read it again");
    await folder.take(aside, own, name);
  } catch (error) {
    await aside.remove(own).catch(() => {});
    throw error;
  }
  return { bytes: bytes.length, created: before === undefined, parted: (before?.nlink ?? 1) > 1 };
}
