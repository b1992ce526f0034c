import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isRoot, mayExecute, type User } from "./contain-user.ts";
import { isWithin, optionsAt, readMounts, type Mount } from "./mounts.ts";

/**
 * A step of the script: an action, its path, a second path (the same one, or as a table of mounts
 * writes it), and options.
 */
export type Step = readonly [action: string, path: string, other: string, options: string];

const step = (action: string, path: string, options = ""): Step => [
  action,
  path,
  inTable(path),
  options,
];

// Escapes a path as in `fstab`.
const inTable = (path: string): string =>
  path.replaceAll(/[\\\s#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);

const TEMPORARY = ["/tmp", "/var/tmp"];
// Contains the sockets of other services, and files that last until the next boot.
const RUN = "/run";
// With version 1, each controller has its own mount: too many to lock one by one.
const GROUPS = "/sys/fs/cgroup";
const LOCKED_PROC = ["sys", "sysrq-trigger", "bus", "fs", "irq"].map((name) => `/proc/${name}`);
const HIDDEN_PROC = [
  "acpi",
  "asound",
  "kcore",
  "keys",
  "kmsg",
  "latency_stats",
  "sched_debug",
  "scsi",
  "timer_list",
  "timer_stats",
];
const HIDDEN_SYS = [
  "firmware",
  "kernel/debug",
  "kernel/tracing",
  "kernel/security",
  "fs/bpf",
  "devices/virtual/powercap",
];
const HIDDEN_SYSTEM = [
  ...HIDDEN_PROC.map((name) => `/proc/${name}`),
  ...HIDDEN_SYS.map((name) => `/sys/${name}`),
];

/** Real paths: what to hide from a program, what to protect from changes, and where it works. */
export interface Places {
  readonly work: string;
  readonly hidden: readonly string[];
  readonly protect: readonly string[];
  /** Folders in which programs are found by name. */
  readonly programs: readonly string[];
  readonly user: User;
}

/**
 * The steps after which a program can write only to the workspace and to files that vanish when it
 * ends.
 */
export function stepsTo({ work, hidden, protect, programs, user }: Places): readonly Step[] {
  const mounts = readMounts();
  const temporary = realOf(TEMPORARY);
  const [tmp] = temporary;
  const run = realOf([RUN]);
  const closed = closedAbove(work, user);
  const groups = mounts.some(({ at }) => at.startsWith(`${GROUPS}/`)) ? [GROUPS] : [];
  const above = [...new Set([...hidden, ...closed, ...run])]
    .filter((path) => isWithin(work, path))
    .sort();
  const covered = ["/proc", "/dev", ...temporary, ...run, ...groups, ...hidden, ...closed];
  const isOpen = (path: string): boolean =>
    (work === "/" || !isWithin(path, work)) && !covered.some((folder) => isWithin(path, folder));
  const kept = keptTemporary(temporary, work, programs);
  const elsewhere = hidden.filter((path) => !isWithin(work, path) && isOpen(dirname(path)));
  return [
    ...saveSteps(kept),
    ["devices", "", "", ""],
    ...temporary.filter((path) => path !== tmp).map((path) => step("temporary", path)),
    ...run
      .filter((path) => !above.includes(path))
      .flatMap((path) => runSteps(path, programs, mounts)),
    ...there(LOCKED_PROC).map((path) => step("protect", path, "nosuid,nodev,noexec")),
    ...[...there(HIDDEN_SYSTEM), ...groups, ...elsewhere].map((path) => step("hide", path)),
    // Last, because the script works in this folder.
    step("temporary", "/tmp"),
    ...restoreSteps(kept, hidden, mounts),
    ...above.map((path) => step("cover", path)),
    step("work", work),
    ...mounts
      .filter(({ at, readOnly }) => !readOnly && isOpen(at))
      .map(({ at, options }) => step("lock", at, options)),
    ...insideSteps(work, hidden, protect, mounts),
  ];
}

const there = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => existsSync(path));

/** The real paths of those places that exist, without duplicates. */
export const realOf = (paths: readonly string[]): readonly string[] => [
  ...new Set(there(paths).map((path) => realpathSync(path))),
];

/**
 * A folder that every system has. Folders of programs wait here while a private temporary folder is
 * mounted.
 */
const STAGE = "/mnt";

/**
 * The outermost folders below temporary folders from which programs are started. For a package,
 * that is its whole `node_modules`.
 */
function keptTemporary(
  temporary: readonly string[],
  work: string,
  programs: readonly string[],
): readonly string[] {
  const folders = realOf(programs).map(
    (path) => /^.*?\/node_modules(?=\/|$)/.exec(path)?.[0] ?? path,
  );
  const inside = folders.filter(
    (path) => !isWithin(path, work) && temporary.some((one) => path !== one && isWithin(path, one)),
  );
  return outermostOf([...new Set(inside)]);
}

const outermostOf = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));

const saveSteps = (kept: readonly string[]): readonly Step[] =>
  kept.length === 0
    ? []
    : [step("stage", STAGE), ...kept.map((path, at): Step => ["save", path, `${STAGE}/${at}`, ""])];

/** Mounts the saved folders again, read-only, and hides the hidden places in them. */
function restoreSteps(
  kept: readonly string[],
  hidden: readonly string[],
  mounts: readonly Mount[],
): readonly Step[] {
  if (kept.length === 0) return [];
  const covered = hidden.filter((path) => kept.some((folder) => isWithin(path, folder)));
  return [
    ...kept.flatMap((path, at): readonly Step[] => [
      ["restore", path, `${STAGE}/${at}`, ""],
      step("lock", path, optionsAt(path, mounts)),
    ]),
    step("unstage", STAGE),
    ...covered.map((path) => step("hide", path)),
  ];
}

/**
 * Empties the folder of sockets. The host names file stays, and so do programs that some systems
 * keep there.
 */
function runSteps(
  run: string,
  programs: readonly string[],
  mounts: readonly Mount[],
): readonly Step[] {
  const kept = realOf(["/etc/resolv.conf", ...programs]).filter(
    (path) => isWithin(path, run) && path !== run,
  );
  const outermost = outermostOf(kept);
  if (outermost.length === 0) return [step("hide", run)];
  return [
    ...outermost.map((path, at): Step => ["save", path, `/tmp/.run${at}`, ""]),
    step("empty", run),
    ...outermost.flatMap((path, at): readonly Step[] => [
      ["restore", path, `/tmp/.run${at}`, ""],
      step("lock", path, optionsAt(path, mounts)),
    ]),
    step("lock", run, "nosuid,nodev"),
  ];
}

/**
 * The outermost folder above the workspace that the user may not enter. It is replaced by one that
 * contains only the path to the workspace.
 */
function closedAbove(work: string, user: User): readonly string[] {
  const closed = isRoot() ? foldersTo(work).find((folder) => !mayExecute(user, folder)) : undefined;
  return closed === undefined ? [] : [closed];
}

/**
 * The steps inside the workspace, outermost first, because a hidden folder has nothing left to
 * hide. Each folder above a place becomes a mount of its own. Otherwise a program could rename it,
 * and put something else in the place.
 */
function insideSteps(
  work: string,
  hidden: readonly string[],
  protect: readonly string[],
  mounts: readonly Mount[],
): readonly Step[] {
  const inside = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => path !== work && isWithin(path, work));
  const [covered, kept] = [inside(hidden), inside(protect)];
  const isLeft = (path: string): boolean =>
    !covered.some((folder) => folder !== path && isWithin(path, folder));
  const places = [...new Set([...covered, ...kept])].filter(isLeft).sort();
  const pinned = new Set(places);
  return places.flatMap((path): readonly Step[] => {
    const way = inside(foldersTo(path)).filter((folder) => !pinned.has(folder));
    for (const folder of way) pinned.add(folder);
    const pins = way.map((folder) => step("pin", folder));
    if (covered.includes(path)) return [...pins, step("hide", path)];
    const nested = mounts.filter(({ at }) => at !== path && isWithin(at, path));
    const locks = nested.map(({ at, options }) => step("lock", at, options));
    return [...pins, step("protect", path, optionsAt(path, mounts)), ...locks];
  });
}

/** The folders above a path, the outermost first, without the root. */
function foldersTo(path: string): readonly string[] {
  const above = dirname(path);
  return above === path || above === dirname(above) ? [] : [...foldersTo(above), above];
}
