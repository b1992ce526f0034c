import fs from "node:fs";

// Kept before `recordReads` replaces them.
const { readdirSync, statSync } = fs;

// SQLite creates and removes these files while its database stays the same.
const COMES_AND_GOES = /-(?:wal|shm|journal)$/;

/** A text that changes when a file changes or is replaced, or when a folder gains or loses an entry. */
export function signatureOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "absent";
    if (stats.isDirectory())
      return readdirSync(path)
        .filter((name) => !COMES_AND_GOES.test(name))
        .toSorted()
        .join("/");
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    return [dev, ino, size, mtimeMs, ctimeMs].join(":");
  } catch (error) {
    return `unreadable: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`;
  }
}
