import { createHash, type Hash } from "node:crypto";
import { askGit, unreadable, type Repository } from "./repository.ts";

/** A file of a commit. */
export interface CommitFile {
  /** The path from the top of the repository. */
  readonly path: string;
  /** The mode in git: `100644`, `100755`, `120000` for a link, `160000` for the commit of a submodule. */
  readonly mode: string;
  readonly id: string;
}

const MAX_FILES = 500_000;

/** Lists every file of a commit, in all folders. Throws BYLAW_REPOSITORY_UNREADABLE. */
export async function filesOf(
  repository: Repository,
  commit: string,
): Promise<readonly CommitFile[]> {
  const bytes = await askGit(repository, {
    args: ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit],
  });
  const rows = text(bytes, repository).split("\0");
  rows.pop();
  if (rows.length > MAX_FILES) throw unreadable(repository.top, `more than ${MAX_FILES} files`);
  const files = rows.map((row): CommitFile => {
    const match = /^(\d{6}) (?:blob|commit) ([0-9a-f]+)\t(.+)$/s.exec(row);
    if (match === null) throw unreadable(repository.top, "an unexpected row of `ls-tree`");
    const [, mode = "", id = "", path = ""] = match;
    return { path, mode, id };
  });
  // If a name occurs twice, a checkout has one file but the list has two.
  if (new Set(files.map(({ path }) => path)).size !== files.length)
    throw unreadable(repository.top, "two files with the same name");
  return files;
}

// Names that are not valid text could not be told apart.
function text(bytes: Uint8Array, { top }: Repository): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable(top, "a file name that is not text");
  }
}

/**
 * Returns a `sha256:` digest of each object's content as git reads it, by object id. The id itself proves nothing: an agent may
 * have put other content into the file in `.git/objects`. Throws BYLAW_REPOSITORY_UNREADABLE, also if an object is missing.
 */
export async function contentsOf(
  repository: Repository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, string>();
  if (wanted.length === 0) return found;
  const reader = new BatchReader(repository, (id, digest) => found.set(id, digest));
  await askGit(repository, {
    args: ["cat-file", "--batch", "--buffer"],
    stdin: wanted.map((id) => `${id}\n`).join(""),
    onOutput: (chunk) => reader.add(chunk),
  });
  if (wanted.some((id) => !found.has(id)))
    throw unreadable(repository.top, "a missing file of the commit");
  return found;
}

const LINE_END = 0x0a;

// Parses repeated `<id> blob <size>\n<content>\n`, in chunks of any size.
class BatchReader {
  readonly #repository: Repository;
  readonly #onObject: (id: string, digest: string) => void;
  #head = "";
  #object: { readonly id: string; readonly hash: Hash; left: number } | undefined = undefined;

  constructor(repository: Repository, onObject: (id: string, digest: string) => void) {
    this.#repository = repository;
    this.#onObject = onObject;
  }

  add(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      const object = this.#object;
      if (object === undefined) {
        const end = chunk.indexOf(LINE_END, at);
        this.#head += new TextDecoder().decode(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (this.#head.length > 200) throw this.#wrong();
        if (end < 0) return;
        at = end + 1;
        this.#begin();
      } else if (object.left > 0) {
        const part = chunk.subarray(at, at + object.left);
        object.hash.update(part);
        object.left -= part.length;
        at += part.length;
      } else {
        if (chunk[at] !== LINE_END) throw this.#wrong();
        at += 1;
        this.#onObject(object.id, `sha256:${object.hash.digest("hex")}`);
        this.#object = undefined;
      }
    }
  }

  #begin(): void {
    const match = /^([0-9a-f]+) blob (\d+)$/.exec(this.#head);
    if (match === null) throw this.#wrong();
    this.#head = "";
    this.#object = { id: match[1] ?? "", hash: createHash("sha256"), left: Number(match[2]) };
  }

  #wrong(): Error {
    return unreadable(this.#repository.top, "a missing file of the commit");
  }
}
