import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Contract } from "@bylaw/contract";
import { folderOf } from "../run-tests.ts";
import { treeDigest, type Tree, type TreeOptions } from "./tree-digest.ts";

/**
 * The tree of a workspace under a contract: what no agent may write and Bylaw itself does, logs and
 * stores, is left out, and so is the report. The contract stands in each run with its own digest.
 * Throws what `treeDigest` throws.
 */
export function contractTree(
  contract: Contract,
  workspace: string,
  options: Pick<TreeOptions, "cache" | "fresh"> = {},
): Promise<Tree> {
  const root = folderOf(workspace);
  return treeDigest(root, { ignore: leftOutBy(contract, root), ...options });
}

/**
 * What is left out of the tree of a workspace because of its contract: paths as seen from there,
 * with `/`. `root` has no link in it.
 */
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

// SQLite keeps these beside its file.
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
