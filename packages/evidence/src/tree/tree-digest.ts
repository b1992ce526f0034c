import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, type BigIntStats } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { BylawError, messageOf } from "@bylaw/kernel";
import { folderOf } from "../run-tests.ts";
import { fileDigest, type DigestOptions } from "./entry-digest.ts";
import { isLeftOut } from "./ignored.ts";
import { createTreeCache, type TreeCache } from "./tree-cache.ts";

/** The contents of a workspace. */
export interface Tree {
  /** A `sha256:` digest of paths, kinds and contents. */
  readonly digest: string;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The entries sorted by path. Paths are relative to the workspace, with `/`. */
  readonly entries: readonly TreeEntry[];
  /** The total size of all files. */
  readonly bytes: number;
}

/** A file, a link (not followed), or something else such as a pipe (not read). */
export interface TreeEntry {
  readonly path: string;
  readonly kind: "file" | "program" | "link" | "other";
  /** The digest of a file's bytes, or of a link's target path. */
  readonly digest: string;
}

/** The options for reading a tree. */
export interface TreeOptions {
  /** Paths to exclude, relative to the workspace, with everything below them. */
  readonly ignore?: readonly string[];
  /** The cache of digests. Default: one cache for all calls. */
  readonly cache?: TreeCache;
  /** Whether to read every file, even if its digest is cached. */
  readonly fresh?: boolean;
  /** The current time in milliseconds since 1970, by the clock of the file system. Default: the system's clock. */
  readonly now?: () => number;
  /** Default: 100,000. */
  readonly maxFiles?: number;
  /** Default: 4 GiB. */
  readonly maxBytes?: number;
}

const MAX_FILES = 100_000;
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_CACHED = 4 * MAX_FILES;
// The number of files to read before other work gets a turn.
const BATCH = 256;

let shared: TreeCache | undefined;

/**
 * Computes the digest of a workspace, without the folders that tools fill: `.git`, `node_modules`, virtual environments, caches,
 * `.bylaw`, `.orchestrator`, and at the top `coverage` and `target`. A `.gitignore` changes nothing. Throws
 * BYLAW_WORKSPACE_MISSING, BYLAW_TREE_TOO_LARGE and BYLAW_TREE_UNREADABLE, because a tree that was not fully read has no digest.
 */
export async function treeDigest(workspace: string, options: TreeOptions = {}): Promise<Tree> {
  const {
    ignore = [],
    cache = (shared ??= createTreeCache()),
    fresh = false,
    now = Date.now,
    maxFiles = MAX_FILES,
    maxBytes = MAX_BYTES,
  } = options;
  const root = folderOf(workspace);
  if (cache.files.size > MAX_CACHED) cache.files.clear();
  const skipped = new Set(ignore.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, "")));
  const entries: TreeEntry[] = [];
  const folders = [""];
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of namesIn(root, folder)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (skipped.has(path) || isLeftOut(name, join(root, folder), { top: folder === "" }))
        continue;
      const file = join(root, path);
      const seen = reading(path, () => lstatSync(file, { bigint: true }));
      if (seen.isDirectory()) {
        folders.push(path);
        continue;
      }
      bytes += seen.isFile() ? Number(seen.size) : 0;
      if (entries.length >= maxFiles) throw tooLarge(`more than ${maxFiles} files`);
      if (bytes > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`);
      entries.push(reading(path, () => entryOf(path, file, seen, { cache, fresh, now: now() })));
      if (entries.length % BATCH === 0) await setImmediate();
    }
  }
  entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  const hash = createHash("sha256");
  for (const { path, kind, digest } of entries)
    hash.update(`${JSON.stringify([path, kind, digest])}\n`);
  return { digest: `sha256:${hash.digest("hex")}`, workspace: root, entries, bytes };
}

function entryOf(path: string, file: string, seen: BigIntStats, options: DigestOptions): TreeEntry {
  if (seen.isSymbolicLink()) return { path, kind: "link", digest: textDigest(readlinkSync(file)) };
  if (!seen.isFile()) return { path, kind: "other", digest: textDigest(String(seen.mode)) };
  const kind = (seen.mode & 0o111n) === 0n ? "file" : "program";
  return { path, kind, digest: fileDigest(file, seen, options) };
}

const namesIn = (root: string, folder: string): readonly string[] =>
  reading(folder || ".", () => readdirSync(join(root, folder)));

/** Returns a `sha256:` digest of a text. */
export const textDigest = (text: string): string =>
  `sha256:${createHash("sha256").update(text).digest("hex")}`;

function reading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_TREE_UNREADABLE",
      message: `Cannot read \`${path}\`: ${messageOf(cause)}`,
      fix: "Try again when nothing writes to it, or give Bylaw permission to read it",
      cause,
    });
  }
}

const tooLarge = (what: string): BylawError =>
  new BylawError({
    code: "BYLAW_TREE_TOO_LARGE",
    message: `The workspace has ${what}`,
    fix: "Use a folder that contains only the repository, or exclude generated folders with `ignore`",
  });
