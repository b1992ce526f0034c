import { statSync } from "node:fs";

/** The user and group that a program runs as. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user `nobody`. Programs of agents run as this user if this process is root and no workspace
 * is given.
 */
export const NOBODY: User = { uid: 65_534, gid: 65_534 };

/** Whether this process is root, so that its programs need another user. */
export const isRoot = (): boolean => process.getuid?.() === 0 || process.geteuid?.() === 0;

/**
 * The user that programs of a workspace run as: that of this process, or the owner of the workspace
 * if this process is root. Undefined if the owner is root too and `allowRoot` is not set.
 */
export function userOf(
  workspace: string | undefined,
  { allowRoot = false }: { readonly allowRoot?: boolean } = {},
): User | undefined {
  const own: User = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (!isRoot()) return own;
  if (workspace === undefined) return NOBODY;
  return ownerOf(workspace) ?? (allowRoot ? own : undefined);
}

/** The owner of a folder, without a group that belongs to root. Undefined if the owner is root. */
export function ownerOf(folder: string): User | undefined {
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  return uid === 0 ? undefined : { uid, gid: gid === 0 ? uid : gid };
}

/** Whether the mode of a file lets a user search or execute it. */
export function mayExecute({ uid, gid }: User, path: string): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const shift = owner === uid ? 6 : group === gid ? 3 : 0;
  return uid === 0 || ((mode >> shift) & 1) === 1;
}
