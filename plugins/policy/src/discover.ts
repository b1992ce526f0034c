import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BylawError } from "@bylaw/kernel";
import type { PolicyPlace } from "@bylaw/policy-language";
import type { Places } from "./places.ts";
import { readPolicy } from "./read.ts";
import { ADMIN, refuseUntrusted, userOf, type FileOwners } from "./trust.ts";

/** Which places are searched for policies. */
export type Discover = "all" | "admin" | "none";

/** A policy that was found, and its place. */
export interface FoundPolicy {
  readonly path: string;
  readonly text: string;
  readonly place: PolicyPlace;
}

/** Reads the policies in all places. Throws BYLAW_POLICY_UNTRUSTED and BYLAW_POLICY_UNREADABLE, and never skips a file. */
export function findPolicies(
  discover: Discover,
  workspaces: Iterable<string>,
  places: Places,
): readonly FoundPolicy[] {
  if (discover === "none") return [];
  const admin = readPlace("admin", places.admin, ADMIN);
  if (discover === "admin") return admin;
  const uid = process.getuid?.();
  return [
    ...admin,
    ...(places.defaults === undefined ? [] : readPlace("default", places.defaults, ADMIN)),
    ...readPlace("user", places.user(), uid === undefined ? undefined : userOf(uid)),
    ...[...new Set(workspaces)].flatMap((workspace) =>
      readPlace("workspace", join(workspace, ".bylaw"), undefined),
    ),
  ];
}

function readPlace(
  place: PolicyPlace,
  folder: string,
  keeper: FileOwners | undefined,
): readonly FoundPolicy[] {
  const unreadable = (what: string, fix: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_POLICY_UNREADABLE",
      message: `Cannot read the policies: ${what}`,
      fix,
      source: { file: folder },
      cause,
    });
  let names: readonly string[];
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    if (keeper !== undefined) refusePlace(folder, keeper);
    names = readdirSync(folder);
  } catch (error) {
    if (error instanceof BylawError) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    // If the folder's path leads through a file, it cannot contain anything.
    if (code === "ENOTDIR" && !isThere(folder)) return [];
    throw unreadable(`folder \`${folder}\` (${code})`, "Fix its permissions, or remove it", error);
  }
  const found: FoundPolicy[] = [];
  for (const name of names.toSorted()) {
    if (name.startsWith(".") || !name.toLowerCase().endsWith(".toml")) continue;
    const path = join(folder, name);
    if (!name.endsWith(".toml"))
      throw unreadable(`name \`${name}\` in \`${folder}\``, "End it in `.toml`");
    if (keeper !== undefined) refuseUntrusted(path, folder, keeper);
    found.push({ path, text: readPolicy(path), place });
  }
  return found;
}

function refusePlace(folder: string, keeper: FileOwners): void {
  if (process.getuid !== undefined) return refuseUntrusted(folder, folder, keeper);
  throw new BylawError({
    code: "BYLAW_POLICY_UNTRUSTED",
    message: `Policies in \`${folder}\` cannot be trusted on this system: nothing tells who can write there`,
    fix: "Remove it, and name the policies in the option `files`",
    source: { file: folder },
  });
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
