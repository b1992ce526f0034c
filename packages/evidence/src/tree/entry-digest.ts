import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from "node:fs";
import type { TreeCache } from "./tree-cache.ts";

export interface DigestOptions {
  readonly cache: TreeCache;
  /** Reads the file even if its digest is cached. */
  readonly fresh: boolean;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

// A recently changed file may change again without a new time: the clocks of file systems are coarse. A write through a mapping
// keeps the time of its first write until the system flushes it, which takes half a minute.
const SETTLED_MS = 60_000;

/** Returns a `sha256:` digest of a file's bytes. Throws errors of the file system, and if the path is not a file. */
export function fileDigest(
  path: string,
  seen: BigIntStats,
  { cache, fresh, now }: DigestOptions,
): string {
  const state = stateOf(seen);
  const known = cache.files.get(path);
  if (!fresh && known?.state === state) return known.digest;
  const handle = openSync(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    if (stateOf(fstatSync(handle, { bigint: true })) !== state)
      throw new Error("changed while it was read");
    const digest = hashOf(handle);
    const settled =
      now - Number(seen.ctimeMs) > SETTLED_MS &&
      stateOf(fstatSync(handle, { bigint: true })) === state;
    if (settled) cache.files.set(path, { state, digest });
    else cache.files.delete(path);
    return digest;
  } finally {
    closeSync(handle);
  }
}

const stateOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

const CHUNK = new Uint8Array(256 * 1024);

function hashOf(handle: number): string {
  const hash = createHash("sha256");
  for (let length = readSync(handle, CHUNK); length > 0; length = readSync(handle, CHUNK))
    hash.update(CHUNK.subarray(0, length));
  return `sha256:${hash.digest("hex")}`;
}
