import { Folder, codeOf } from "./folder.ts";
import { unfit } from "./refused.ts";
import { stateOf } from "./text.ts";
import type { Place, Workspace } from "./workspace.ts";

export interface Written {
  readonly bytes: number;
  readonly created: boolean;
  /** The file had other names, under which it is as it was. */
  readonly parted: boolean;
}

// Where a file is written before it is put in its place: what is left there by a process that was killed is in no tree and no commit.
const ASIDE = [".bylaw", "tmp"];

/**
 * Puts a text in the place of a file, at once: who reads it meanwhile sees the old or the new one, and a link that somebody puts there
 * is replaced and not followed. With `state` only a file that is still as it was read. Throws as `Folder.replaceable` does, and
 * BYLAW_FILE_UNFIT for one that has changed.
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
    // Another file system.
    if (codeOf(error) !== "EXDEV") throw error;
  } finally {
    await aside?.close();
  }
  return put(place.folder, place, text, state);
}

/** Where files are written first; `undefined` where somebody stands in the way. Git leaves it out. */
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
    // Another call made it at the same time.
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
      // No right of another user or group comes with what an agent writes.
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
