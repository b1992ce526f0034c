import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BylawError, messageOf } from "@bylaw/kernel";

// An hour, which is longer than any write, so only a killed process's leftovers are removed.
const STALE_MS = 3_600_000;

/**
 * Replaces a file: readers see the old text or the new one, never a part of one. The new text is on the disk before it replaces the old
 * one. A link at the path is replaced, never followed. Throws BYLAW_STATUS_UNWRITABLE.
 */
export async function replaceFile(path: string, parts: readonly Uint8Array[]): Promise<void> {
  // A random name, and only if it is new, because processes in two containers can have the same id.
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(fresh, "wx", 0o600);
    try {
      await writeAll(file, parts);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw unwritable(path, error);
  }
}

// Writes all parts in one system call without joining them. If it wrote less than all, the rest follows.
async function writeAll(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let left: Uint8Array[] = parts.filter(({ length }) => length > 0);
  while (left.length > 0) {
    let { bytesWritten: taken } = await file.writev(left);
    if (taken === 0) throw new Error("nothing more is taken");
    left = left.flatMap((part) => {
      const rest = part.subarray(Math.min(taken, part.length));
      taken -= part.length - rest.length;
      return rest.length === 0 ? [] : [rest];
    });
  }
}

/** Removes a killed process's leftovers next to a file. */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (
      !name.startsWith(`${basename(path)}.`) ||
      !/\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(name)
    )
      continue;
    const there = await stat(join(folder, name)).catch(() => undefined);
    if (there !== undefined && Date.now() - there.mtimeMs > STALE_MS)
      await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unwritable(file: string, error: unknown): BylawError {
  const code =
    typeof error === "object" && error !== null && "code" in error
      ? String(error.code)
      : messageOf(error);
  return new BylawError({
    code: "BYLAW_STATUS_UNWRITABLE",
    message: `Cannot write the status file (${code})`,
    fix: "Let the process write this file and its folder, make room on the disk, or set another `file`",
    source: { file },
    cause: error,
  });
}
