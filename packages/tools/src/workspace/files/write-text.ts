import { unfit } from "./refused.ts";
import { stateOf } from "./text.ts";
import type { Place } from "./workspace.ts";

/** What was written. */
export interface Written {
  readonly bytes: number;
  readonly created: boolean;
  /** The file had other names, under which it is as it was. */
  readonly parted: boolean;
}

/**
 * Puts a text in the place of a file, at once: who reads it meanwhile sees the old or the new one, and a link that somebody puts there
 * is replaced and not followed. With `state` only a file that is still as it was read. Throws as `Folder.replaceable` does, and
 * BYLAW_FILE_UNFIT for one that has changed.
 */
export async function writeText(
  { folder, name, path }: Place,
  text: string,
  { state }: { readonly state?: string } = {},
): Promise<Written> {
  const before = await folder.replaceable(name);
  const beside = `.bylaw-${globalThis.crypto.randomUUID()}.tmp`;
  const bytes = new TextEncoder().encode(text);
  const handle = await folder.create(beside, 0o666);
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
      throw unfit(path, "changed file", "it as it was read", "read it again");
    await folder.replace(beside, name);
  } catch (error) {
    await folder.remove(beside).catch(() => {});
    throw error;
  }
  return { bytes: bytes.length, created: before === undefined, parted: (before?.nlink ?? 1) > 1 };
}
