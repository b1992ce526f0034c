import { statSync } from "node:fs";

/** The user and the group that a program runs as. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The user `nobody`: runs programs of agents if this process is root and no workspace says who. */
export const UNPRIVILEGED: User = { uid: 65_534, gid: 65_534 };

/** Whether this process is root, whose programs need another user. */
export const isRoot = (): boolean => process.getuid?.() === 0 || process.geteuid?.() === 0;

/**
 * The user that programs of a workspace run as: that of this process or, where that is root, the
 * owner of the workspace. Undefined where that is root too and `allowRoot` is not set.
 */
export function userOf(
  workspace: string | undefined,
  { allowRoot = false }: { readonly allowRoot?: boolean } = {},
): User | undefined {
  const own: User = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (!isRoot()) return own;
  if (workspace === undefined) return UNPRIVILEGED;
  return ownerOf(workspace) ?? (allowRoot ? own : undefined);
}

/** The owner of a folder where that is not root, without the group of root. */
export function ownerOf(folder: string): User | undefined {
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  return uid === 0 ? undefined : { uid, gid: gid === 0 ? uid : gid };
}

/** Whether a user has a right (1: search or execute) over a file by its mode alone. */
export function mayExecute({ uid, gid }: User, path: string): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const shift = owner === uid ? 6 : group === gid ? 3 : 0;
  return uid === 0 || ((mode >> shift) & 1) === 1;
}
