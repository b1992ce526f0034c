import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isRoot, mayExecute, type User } from "./contain-user.ts";
import { isWithin, optionsAt, readMounts, type Mount } from "./mounts.ts";

/**
 * What the script does, where, the same place or another as a table of mounts has it, and with
 * which options.
 */
export type Step = readonly [action: string, path: string, other: string, options: string];

const step = (action: string, path: string, options = ""): Step => [
  action,
  path,
  inTable(path),
  options,
];

// As in `fstab`.
const inTable = (path: string): string =>
  path.replaceAll(/[\\\s#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);

const TEMPORARY = ["/tmp", "/var/tmp"];
// Sockets of other services, and what they keep until the next start.
const RUN = "/run";
// Where each controller has a mount of its own, which is the old way, there are too many to lock
// them one by one.
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

/**
 * Real paths of what a program does not see, and does not change, and the folder that it works in.
 */
export interface Places {
  readonly work: string;
  readonly hidden: readonly string[];
  readonly protect: readonly string[];
  /** Folders where programs are found by name. */
  readonly programs: readonly string[];
  readonly user: User;
}

/** The steps after which only the workspace and what vanishes with the program can be written. */
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
    // Last, because the script works in there.
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

/** Where places really are, each once; what is missing is left out. */
export const realOf = (paths: readonly string[]): readonly string[] => [
  ...new Set(there(paths).map((path) => realpathSync(path))),
];

/**
 * Where folders of programs wait for a private temporary folder: a folder that every system has.
 */
const STAGE = "/mnt";

/**
 * The folders in temporary folders, the outermost alone, that programs are started from: the whole
 * \`node_modules\` of a package.
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

/** Puts them back, to be read alone, and hides in them what is hidden. */
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
 * Empties the folder of sockets, but for the names of hosts and for programs that some systems keep
 * there.
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
 * The outermost folder on the way to another that a user may not pass: the other is put there under
 * the same name, and nothing else.
 */
function closedAbove(work: string, user: User): readonly string[] {
  const closed = isRoot() ? foldersTo(work).find((folder) => !mayExecute(user, folder)) : undefined;
  return closed === undefined ? [] : [closed];
}

/**
 * Of the workspace itself, the outermost first: what is covered is not there to be covered again. A
 * folder on the way becomes a mount of itself: whoever renamed it would leave what is covered
 * behind, and could put something else where it was.
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

/** The folders on the way to a path, the outermost first, without the root. */
function foldersTo(path: string): readonly string[] {
  const above = dirname(path);
  return above === path || above === dirname(above) ? [] : [...foldersTo(above), above];
}
