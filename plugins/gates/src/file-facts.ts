import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import type { CommitState } from "@bylaw/evidence";
import { inWorkspace } from "./workspace-path.ts";
import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { asserts, commentedOut } from "./scan.ts";

/** A path of an artifact, as found in the workspace. */
interface FileFact {
  readonly state:
    | "file"
    | "missing"
    | "outside of the workspace"
    | "not a regular file"
    | "unreadable"
    | "too large";
  /** Its real path relative to the workspace; `null` if it is not a file in it. */
  readonly real: string | null;
  /** For test files: whether one asserts something. */
  readonly asserts: boolean;
  /** The line of the first commented-out code. */
  readonly commented: number | null;
}

/** The facts about the workspace, collected before the decision. */
export interface FileFacts {
  readonly files: ReadonlyMap<string, FileFact>;
  /** The reason why no file was read. */
  readonly problem: string | null;
  /** The digest of the workspace. */
  readonly tree: string | null;
  readonly treeProblem: string | null;
  /** The checked-out commit, and its differences from the workspace. */
  readonly commit: CommitState | null;
  readonly commitProblem: string | null;
}

/** How much is read at most. */
export const FILE_LIMITS = { files: 2_000, bytes: 1_048_576, all: 33_554_432 } as const;

const NOTHING = { real: null, asserts: false, commented: null } as const;

/**
 * Reads facts about workspace files, each once. Too many files or a missing workspace is reported
 * as a problem.
 */
export function lookAt(workspace: string, paths: readonly string[]): JsonObject {
  const wanted = [...new Set(paths)];
  if (wanted.length > FILE_LIMITS.files)
    return {
      files: [],
      problem: `The artifacts name ${wanted.length} files, more than ${FILE_LIMITS.files}`,
    };
  let root: string;
  try {
    root = realpathSync.native(workspace);
  } catch {
    return { files: [], problem: "The workspace does not exist" };
  }
  let left: number = FILE_LIMITS.all;
  const files = wanted.map((path): Json => {
    const { fact, bytes } = lookAtOne(root, path, Math.min(FILE_LIMITS.bytes, left));
    left -= bytes;
    return { path, ...fact };
  });
  return { files, problem: null };
}

interface Look {
  readonly fact: FileFact;
  readonly bytes: number;
}

const stateOnly = (state: FileFact["state"]): Look => ({ fact: { state, ...NOTHING }, bytes: 0 });

function lookAtOne(root: string, path: string, most: number): Look {
  if (inWorkspace(path) === undefined) return stateOnly("outside of the workspace");
  const full = join(root, path);
  try {
    if (lstatSync(full, { throwIfNoEntry: false }) === undefined) return stateOnly("missing");
    const real = realpathSync.native(full);
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
      return stateOnly("outside of the workspace");
    return read(real, root, most);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    return stateOnly(code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable");
  }
}

function read(path: string, root: string, most: number): Look {
  // The file may have been replaced by a pipe or a link: do not block on it or follow it.
  const handle = openSync(
    path,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return stateOnly("not a regular file");
    if (stats.size > most) return stateOnly("too large");
    const bytes = new Uint8Array(stats.size);
    let length = 0;
    for (let more = 1; more > 0 && length < bytes.length; length += more)
      more = readSync(handle, bytes, length, bytes.length - length, null);
    const text = new TextDecoder().decode(bytes.subarray(0, length));
    return {
      fact: {
        state: "file",
        real: relative(root, path).split(sep).join("/"),
        asserts: asserts(text),
        commented: commentedOut(text) ?? null,
      },
      bytes: length,
    };
  } finally {
    closeSync(handle);
  }
}

/** The facts in the form that checks read; undefined if nothing was prepared. */
export function factsOf(facts: Json | undefined): FileFacts | undefined {
  if (!isJsonObject(facts ?? null)) return undefined;
  const { files, problem, tree, tree_problem, commit, uncommitted, commit_problem } =
    facts as JsonObject;
  const listed = (Array.isArray(files) ? (files as readonly JsonObject[]) : []).map(
    (file) => [String(file["path"]), file as unknown as FileFact] as const,
  );
  const text = (value: Json | undefined): string | null =>
    typeof value === "string" ? value : null;
  return {
    files: new Map(listed),
    problem: text(problem),
    tree: text(tree),
    treeProblem: text(tree_problem),
    commit:
      isJsonObject(commit) && isJsonObject(uncommitted)
        ? ({ ...commit, ...uncommitted } as unknown as CommitState)
        : null,
    commitProblem: text(commit_problem) ?? text(tree_problem),
  };
}
