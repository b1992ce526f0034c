import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Contract } from "@bylaw/contract";
import { folderOf } from "../run-tests.ts";
import { treeDigest, type Tree, type TreeOptions } from "./tree-digest.ts";

/**
 * Returns the tree of a workspace, without the report and without the logs and stores that Bylaw itself writes and agents must
 * not. Each run contains the digest of the contract separately. Throws the errors of `treeDigest`.
 */
export function contractTree(
  contract: Contract,
  workspace: string,
  options: Pick<TreeOptions, "cache" | "fresh"> = {},
): Promise<Tree> {
  const root = folderOf(workspace);
  return treeDigest(root, { ignore: leftOutBy(contract, root), ...options });
}

/** The paths that a contract excludes from the tree, relative to the workspace and with `/`. `root` must not contain links. */
export function leftOutBy(contract: Contract, root: string): readonly string[] {
  const home = realOf(dirname(resolve(contract.file)));
  const report = contract.evidence.testCommand?.report;
  const paths = [
    ...contract.protectedPaths.flatMap(siblings).map((path) => resolve(home, path)),
    ...(report === undefined ? [] : [resolve(root, report)]),
  ];
  return paths
    .map((path) => relative(root, path))
    .filter(
      (path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path),
    )
    .map((path) => path.split(sep).join("/"));
}

// Files that SQLite keeps next to its database.
const siblings = (path: string): readonly string[] => [
  path,
  `${path}-wal`,
  `${path}-shm`,
  `${path}-journal`,
];

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
