import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from "node:fs";
import type { TreeCache } from "./tree-cache.ts";

export interface DigestOptions {
  readonly cache: TreeCache;
  /** Reads it even where it is known. */
  readonly fresh: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
}

// A file that changed just now may change again without another time: clocks of file systems are
// coarse, and what is written through a mapping has the time of its first write until the system
// has put it on the disk, which takes half a minute.
const SETTLED_MS = 60_000;

/**
 * `sha256:` over the bytes of a file. Throws what the file system throws, and for what is no file.
 */
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
