import { readFileSync } from "node:fs";

/** A mount that is visible at its place. */
export interface Mount {
  readonly at: string;
  readonly readOnly: boolean;
  /** The options that nobody without outer rights may remove, as `mount` takes them. */
  readonly options: string;
}

interface Entry {
  readonly id: string;
  readonly parent: string;
  readonly at: string;
  readonly options: readonly string[];
}

const LOCKED = ["nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime", "nosymfollow"];

const entries = (): readonly Entry[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "))
    .map(([id = "", parent = "", , , at = "", options = ""]) => ({
      id,
      parent,
      options: options.split(","),
      at: at.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    }));

/** The visible mounts, without those that another mount covers. */
export function readMounts(): readonly Mount[] {
  const all = entries();
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  // Of several mounts at one place, the top one is not the parent of another one there.
  const tops = all.filter(
    ({ id, at }) => !all.some((other) => other.parent === id && other.at === at && other.id !== id),
  );
  const isSeen = (entry: Entry): boolean => {
    const line = new Set<string>();
    for (
      let one: Entry | undefined = entry;
      one !== undefined && !line.has(one.id);
      one = byId.get(one.parent)
    )
      line.add(one.id);
    return tops.every((top) => !isWithin(entry.at, top.at) || line.has(top.id));
  };
  return tops
    .filter(isSeen)
    .map(({ at, options }) => ({
      at,
      readOnly: options.includes("ro"),
      options: options.filter((option) => LOCKED.includes(option)).join(","),
    }));
}

/** Whether a path is a folder or is below it. Both must be absolute and without links. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || folder === "/" || path.startsWith(`${folder}/`);

/** The options of the mount that contains a path. */
export const optionsAt = (path: string, mounts: readonly Mount[]): string =>
  mounts
    .filter(({ at }) => isWithin(path, at))
    .reduce((best, one) => (one.at.length >= best.at.length ? one : best), ROOT).options;

const ROOT: Mount = { at: "", readOnly: false, options: "" };
