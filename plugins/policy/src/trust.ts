import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { BylawError, messageOf } from "@bylaw/kernel";

/** The users who may be able to write files in a place. */
export interface FileOwners {
  readonly who: string;
  readonly owners: ReadonlySet<number>;
  /** The mode bits that allow others to write. */
  readonly others: number;
  /** `anywhere`: links may lead out of the place, and only their target counts. `inside`: they must stay in it. */
  readonly links: "anywhere" | "inside";
}

/** Root alone. */
export const ADMIN: FileOwners = {
  who: "root",
  owners: new Set([0]),
  others: 0o022,
  links: "inside",
};

/** The user who runs the process, or root. Group write permission is accepted, because a group is often the user's own. */
export const userOf = (uid: number): FileOwners => ({
  who: "you or root",
  owners: new Set([0, uid]),
  others: 0o002,
  links: "anywhere",
});

const MAX_LINKS = 40;
const STICKY = 0o1000;

/** A file of policies, and who may write where it lies. */
interface PolicyPath {
  readonly path: string;
  readonly place: string;
  readonly keeper: FileOwners;
}

/**
 * Follows a path from the root of the file system. Throws BYLAW_POLICY_UNTRUSTED if a folder, a link or the file at its end belongs
 * to somebody other than its keeper, can be written by others, or leads out of `place`.
 */
export function refuseUntrusted(path: string, place: string, keeper: FileOwners): void {
  const policy: PolicyPath = { path, place, keeper };
  const pending = path.split("/").toReversed();
  let at = "";
  let links = 0;
  check(policy, "/");
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      continue;
    }
    const here = `${at}/${name}`;
    if (!check(policy, here).isSymbolicLink()) {
      at = here;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) refuse(policy, `loop of links at \`${here}\``, "Remove the link");
    if (keeper.links === "inside" && (here === place || !isInside(place, here)))
      refuse(policy, `link \`${here}\` on the way`, "Put a folder in its place");
    const target = readlinkSync(here);
    if (target.startsWith("/")) at = "";
    pending.push(...target.split("/").toReversed());
  }
  if (keeper.links === "inside" && !isInside(place, at))
    refuse(policy, `link to \`${at}\``, "Put the file itself into the folder");
}

const isInside = (place: string, at: string): boolean => at === place || at.startsWith(`${place}/`);

function check(policy: PolicyPath, at: string): Stats {
  const { owners, others, who } = policy.keeper;
  const stats = look(policy, at);
  if (!owners.has(stats.uid)) {
    refuse(
      policy,
      `owner ${stats.uid} of \`${at}\``,
      `Give it to ${who}, or move the policies elsewhere and name them in \`files\``,
    );
  }
  if (stats.isSymbolicLink()) return stats;
  // In a sticky folder others may add files, but not rename or remove those of others. In the folder of policies itself they may
  // not even add.
  const shared = stats.isDirectory() && !isInside(policy.place, at) && (stats.mode & STICKY) !== 0;
  if ((stats.mode & others) !== 0 && !shared) {
    const mode = (stats.mode & 0o7777).toString(8).padStart(4, "0");
    refuse(
      policy,
      `mode ${mode} of \`${at}\``,
      `Take the right to write from others: \`chmod ${others === 0o002 ? "o" : "go"}-w ${at}\``,
    );
  }
  return stats;
}

function look(policy: PolicyPath, at: string): Stats {
  try {
    return lstatSync(at);
  } catch (error) {
    const what = `\`${at}\` that cannot be inspected (${messageOf(error)})`;
    return refuse(policy, what, "Fix or remove it", error);
  }
}

function refuse(
  { path, place, keeper: { who } }: PolicyPath,
  what: string,
  fix: string,
  cause?: unknown,
): never {
  throw new BylawError({
    code: "BYLAW_POLICY_UNTRUSTED",
    message: `Only ${who} may be able to write policies in \`${place}\`: found ${what}`,
    fix,
    source: { file: path },
    cause,
  });
}
