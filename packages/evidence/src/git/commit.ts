import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "@bylaw/contract";
import { folderOf } from "../run-tests.ts";
import { contractTree, leftOutBy } from "../tree/contract-tree.ts";
import { textDigest, type Tree, type TreeEntry } from "../tree/tree-digest.ts";
import { contentsOf, filesOf, type CommitFile } from "./commit-files.ts";
import { askGit, headOf, repositoryOf, type Repository } from "./repository.ts";

/** The commit that is checked out in a workspace, compared with the workspace's files. */
export interface CommitState {
  /** The id of the commit. `null` without a repository or a first commit. */
  readonly head: string | null;
  /**
   * A `sha256:` digest of the commit's files that are not in the tree: outside of the workspace, in folders that a digest leaves
   * out, or not checked out. They can only be compared with those of an earlier commit.
   */
  readonly apart: string;
  /** The first of those files. */
  readonly apart_files: readonly string[];
  /** The first files that differ between the commit and the tree, or exist only in one of them, each with the reason. */
  readonly differs: readonly string[];
  /** The number of files that differ. */
  readonly count: number;
}

/** The number of files to list. */
const MAX_FILES = 20;
const MAX_DEPTH = 8;

/**
 * Compares the checked-out commit with a tree of the same workspace: contents as git reads them, links, and executable bits.
 * Files that a committed `.gitignore` ignores may be missing from the commit. Throws BYLAW_REPOSITORY_UNREADABLE.
 */
export async function commitState(contract: Contract, tree: Tree): Promise<CommitState> {
  const repository = repositoryOf(tree.workspace);
  const head = repository === undefined ? null : await headOf(repository);
  const found: Found = { apart: [], differs: [] };
  if (repository !== undefined && head !== null)
    await compare(begin(repository, head, contract, tree, { holds: true }), found);
  const differs = found.differs.toSorted();
  const apart_files = found.apart.map(({ path }) => path).toSorted();
  return {
    head,
    apart: digestOf(found),
    apart_files: apart_files.slice(0, MAX_FILES),
    differs: differs.slice(0, MAX_FILES),
    count: differs.length,
  };
}

/**
 * Returns the checked-out commit of a workspace and the digest of its files outside the tree, for a later comparison. Throws
 * BYLAW_REPOSITORY_UNREADABLE and the errors of `contractTree`.
 */
export async function commitBase(
  contract: Contract,
  workspace: string,
): Promise<Pick<CommitState, "head" | "apart">> {
  const repository = repositoryOf(folderOf(workspace));
  const head = repository === undefined ? null : await headOf(repository);
  const found: Found = { apart: [], differs: [] };
  if (repository !== undefined && head !== null)
    await compare(
      begin(repository, head, contract, await contractTree(contract, workspace), { holds: false }),
      found,
    );
  return { head, apart: digestOf(found) };
}

function begin(
  repository: Repository,
  commit: string,
  contract: Contract,
  tree: Tree,
  { holds }: Pick<Compared, "holds">,
): Compared {
  const { entries, workspace } = tree;
  return {
    repository,
    commit,
    at: "",
    entries,
    workspace,
    protectedBy: leftOutBy(contract, workspace),
    holds,
    depth: 0,
  };
}

function digestOf({ apart }: Found): string {
  const hash = createHash("sha256");
  for (const line of apart.map(({ path, mode, id }) => JSON.stringify([path, mode, id])).toSorted())
    hash.update(`${line}\n`);
  return `sha256:${hash.digest("hex")}`;
}

interface Found {
  readonly apart: CommitFile[];
  readonly differs: string[];
}

interface Compared {
  readonly repository: Repository;
  readonly commit: string;
  /** The path of the repository's part of the workspace: empty, or the path of a submodule with a `/` at the end. */
  readonly at: string;
  /** The files of the tree below `at`. */
  readonly entries: readonly TreeEntry[];
  readonly workspace: string;
  /** Paths that Bylaw writes and no agent may write. */
  readonly protectedBy: readonly string[];
  /** Whether files that are both in the commit and in the tree are compared. */
  readonly holds: boolean;
  readonly depth: number;
}

async function compare(given: Compared, found: Found): Promise<void> {
  const { repository, commit, at, workspace, protectedBy } = given;
  const files = await filesOf(repository, commit);
  const tested = new Map(given.entries.map((entry) => [entry.path, entry]));
  const held: Held[] = [];
  const modules: {
    readonly file: CommitFile;
    readonly path: string;
    readonly entries: readonly TreeEntry[];
  }[] = [];
  for (const file of files) {
    const path = file.path.startsWith(repository.prefix)
      ? `${at}${file.path.slice(repository.prefix.length)}`
      : undefined;
    const entry = path === undefined ? undefined : tested.get(path);
    const below =
      file.mode === "160000" && path !== undefined
        ? given.entries.filter((one) => one.path.startsWith(`${path}/`))
        : [];
    if (path !== undefined && below.length > 0) modules.push({ file, path, entries: below });
    else if (path !== undefined && entry !== undefined) held.push({ file, path, entry });
    else if (path !== undefined && isRecord(path, file))
      found.apart.push({ ...file, path: `${at}${file.path}`, id: "" });
    else if (path !== undefined && isBelow(path, protectedBy))
      held.push({ file, path, entry: onDisk(workspace, path) });
    else found.apart.push({ ...file, path: `${at}${file.path}` });
  }
  if (given.holds)
    await hold(given, { files, held, modules: modules.map(({ path }) => path) }, found);
  for (const { file, path, entries } of modules) {
    const own = given.depth < MAX_DEPTH ? repositoryOf(join(workspace, path)) : undefined;
    if (own === undefined || own.prefix !== "")
      found.differs.push(`${path} (a submodule that is not a repository)`);
    else
      await compare(
        {
          ...given,
          repository: own,
          commit: file.id,
          at: `${path}/`,
          entries,
          depth: given.depth + 1,
        },
        found,
      );
  }
}

interface Held {
  readonly file: CommitFile;
  readonly path: string;
  readonly entry: TreeEntry | undefined;
}

interface Listed {
  readonly files: readonly CommitFile[];
  readonly held: readonly Held[];
  /** The paths of submodules. */
  readonly modules: readonly string[];
}

async function hold(
  given: Compared,
  { files, held, modules }: Listed,
  { differs }: Found,
): Promise<void> {
  const contents = await contentsOf(
    given.repository,
    held.filter(({ file }) => file.mode !== "160000").map(({ file }) => file.id),
  );
  for (const { file, path, entry } of held) {
    const why = unlike(file, entry, contents.get(file.id));
    if (why !== undefined) differs.push(`${path} (${why})`);
  }
  const committed = new Set(held.map(({ path }) => path));
  const inModule = (path: string): boolean => modules.some((one) => path.startsWith(`${one}/`));
  const left = given.entries
    .filter(({ path, kind }) => kind !== "other" && !committed.has(path) && !inModule(path))
    .map(({ path }) => path);
  const ignored = await ignoredOf(given, left, files);
  for (const path of left) if (!ignored.has(path)) differs.push(`${path} (not in the commit)`);
}

const KINDS: Readonly<Record<string, TreeEntry["kind"]>> = {
  "100644": "file",
  "100664": "file",
  "100755": "program",
  "120000": "link",
};

// Why a file of the commit differs from the file in the tree.
function unlike(
  { mode }: CommitFile,
  entry: TreeEntry | undefined,
  digest: string | undefined,
): string | undefined {
  const kind = KINDS[mode];
  if (entry === undefined) return "not in the workspace";
  if (kind === undefined || digest === undefined || entry.kind !== kind)
    return `another kind: ${kind ?? mode} and not ${entry.kind}`;
  return digest === entry.digest ? undefined : "another content";
}

const isBelow = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

// Logs and stores that Bylaw keeps writing: only their presence is compared. Below the top, an agent may use the same names for
// other files, and a new file may be code.
const isRecord = (path: string, { mode }: CommitFile): boolean =>
  mode.startsWith("100") &&
  /^\.(?:bylaw|orchestrator)\//.test(path) &&
  /\.(?:db|sqlite3?|jsonl|log|lock)(?:-wal|-shm|-journal)?$|\/status\.json$/.test(path);

function onDisk(workspace: string, path: string): TreeEntry | undefined {
  const file = join(workspace, path);
  try {
    const seen = lstatSync(file, { throwIfNoEntry: false });
    if (seen?.isSymbolicLink() === true)
      return { path, kind: "link", digest: textDigest(readlinkSync(file)) };
    if (seen?.isFile() !== true) return undefined;
    const digest = `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
    return { path, kind: (seen.mode & 0o111) === 0 ? "file" : "program", digest };
  } catch {
    return undefined;
  }
}

/** Returns those files of the tree that a `.gitignore` in the commit ignores. Any other `.gitignore` could hide itself. */
async function ignoredOf(
  { repository, at }: Compared,
  paths: readonly string[],
  files: readonly CommitFile[],
): Promise<ReadonlySet<string>> {
  const ignored = new Set<string>();
  if (paths.length === 0) return ignored;
  // With `./` in front, git does not read the name as a pattern.
  const stdin = paths.map((path) => `./${repository.prefix}${path.slice(at.length)}\0`).join("");
  const args = ["check-ignore", "-z", "--stdin", "--verbose", "--no-index"];
  const said = new TextDecoder()
    .decode(await askGit(repository, { args, stdin, answers: [0, 1] }))
    .split("\0");
  const counting = await ignoresOf(repository, files);
  for (let index = 0; index + 3 < said.length; index += 4) {
    const [source = "", , pattern = "", path = ""] = said.slice(index, index + 4);
    if (counting.has(source) && !pattern.startsWith("!"))
      ignored.add(`${at}${path.slice(repository.prefix.length + 2)}`);
  }
  return ignored;
}

// The `.gitignore` files of the commit that are unchanged on disk, because git reads them from disk. Those inside the workspace
// are compared as files of the tree.
async function ignoresOf(
  repository: Repository,
  files: readonly CommitFile[],
): Promise<ReadonlySet<string>> {
  const all = files.filter(({ path }) => /(?:^|\/)\.gitignore$/.test(path));
  const outside = all.filter(({ path }) => !path.startsWith(repository.prefix));
  const contents = await contentsOf(
    repository,
    outside.filter(({ mode }) => mode.startsWith("100")).map(({ id }) => id),
  );
  const others = outside.filter(
    (file) => unlike(file, onDisk(repository.top, file.path), contents.get(file.id)) !== undefined,
  );
  return new Set(all.filter((file) => !others.includes(file)).map(({ path }) => path));
}
