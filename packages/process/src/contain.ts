import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { constants as system } from "node:os";
import { dirname } from "node:path";

/** What a contained program does not see, and what it does not change. */
export interface Containment {
  /**
   * Absolute paths: a folder is empty to it, a file too; of a folder that it runs in only the way there is left. What is missing is left
   * out, and so is the folder that it runs in and the root. No folder on the way to one can be renamed or removed.
   */
  readonly hide?: readonly string[];
  /** Absolute paths that it may read and not write, rename or remove, but for the folder `within`, those above it and the root. What is missing it can make. */
  readonly protect?: readonly string[];
  /** The folder that, with those above it, is excepted from `protect`. Default: the one that it runs in. */
  readonly within?: string;
  /** It is not started where it cannot be contained: that is an end with an `error`. Default: it then runs as its user. */
  readonly required?: boolean;
}

const toolOf = (name: string): string | undefined => [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
// A user and a list of processes of its own; when the first process ends, or who started it, so do all.
const OUTER = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"];
// Covers the places, and then gives up the right to uncover them. A folder on the way to one becomes a mount of itself: whoever renamed it
// would leave what is covered behind, and could put something else where it was. No argument is read as a line.
const INNER = `mount=$1 unshare=$2 user=$3 group=$4 count=$5; shift 5
here=$(pwd -P) || exit 125
while [ "$count" -gt 0 ]; do
  case "$here/" in "$2"/*) inside=1;; *) inside=0;; esac
  if [ ! -e "$2" ]; then :
  elif [ "$1" != hide ]; then "$mount" -o "$1" "$2" "$2" && cd "$here" || exit 125
  elif [ "$inside" = 1 ]; then
    "$mount" -t tmpfs -o size=64k,mode=0755 none "$2" && mkdir -p "$here" && "$mount" --no-canonicalize --bind . "$here" &&
      "$mount" -o remount,bind,ro "$2" && cd "$here" || exit 125
  elif [ -d "$2" ]; then "$mount" -t tmpfs -o size=4k,mode=0555 none "$2" || exit 125
  else "$mount" --bind /dev/null "$2" || exit 125; fi
  shift 2; count=$((count - 1))
done
"$unshare" --user --map-user="$user" --map-group="$group" -- "$@"`;

let able: boolean | undefined;

/**
 * Whether this system lets programs run where they see no other process, by namespaces of Linux. Tried once. In `cwd` it must be the same
 * user who owns the folder: rights over what belongs to others do not go along.
 */
export function canContain(cwd?: string): boolean {
  able ??= process.platform === "linux" && tried();
  return able && (cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.uid === process.getuid?.());
}

function tried(): boolean {
  const [file, ...args] = containing(["/bin/sh", "-c", "exit 42"], {}, "/");
  return file !== undefined && spawnSync(file, args, { stdio: "ignore", env: {}, timeout: 10_000, killSignal: "SIGKILL" }).status === 42;
}

// Of two names of one signal the first is the usual one.
const SIGNALS = new Map(
  Object.entries(system.signals)
    .reverse()
    .map(([name, number]) => [128 + number, name]),
);

/** The signal that ended a contained program, by the exit code that the shell around it gives: that of a program of its own looks the same. */
export const signalOf = (code: number | null): string | null => (code === null ? null : (SIGNALS.get(code) ?? null));

/** The arguments that start a program contained. */
export function containing(argv: readonly string[], { hide = [], protect = [], within }: Containment, cwd: string): readonly string[] {
  const [unshare, mount] = [toolOf("unshare"), toolOf("mount")];
  if (unshare === undefined || mount === undefined) return [];
  const here = realpathSync(cwd);
  const home = within === undefined ? here : realpathSync(within);
  const places = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  const hidden = places(hide).filter((path) => path !== here && path !== "/");
  const kept = places(protect).filter((path) => !hidden.includes(path) && !`${home}/`.startsWith(path === "/" ? path : `${path}/`));
  const steps = stepsTo(new Set(hidden), new Set(kept));
  const who = [process.getuid?.() ?? 0, process.getgid?.() ?? 0, steps.length].map(String);
  return [unshare, ...OUTER, "--", "/bin/sh", "-c", INNER, "sh", mount, unshare, ...who, ...steps.flat(), ...argv];
}

/** `hide` or the options of a mount of a place over itself, and the place. */
type Step = readonly [string, string];

/** What is done to places, in order: of each the way to it is pinned before. */
function stepsTo(hidden: ReadonlySet<string>, kept: ReadonlySet<string>): readonly Step[] {
  // The outermost first: what is covered is not there to be covered again.
  const places = [...hidden, ...kept].sort();
  const pinned = new Set(places);
  const mounts = kept.size === 0 ? [] : readMounts();
  return places.flatMap((path): readonly Step[] => {
    const way = foldersTo(path).filter((folder) => !pinned.has(folder) && canBeRenamed(folder));
    for (const folder of way) pinned.add(folder);
    return [
      ...way.map((folder): Step => ["rbind", folder]),
      hidden.has(path) ? ["hide", path] : [["rbind", "ro", ...lockedOf(path, mounts)].join(","), path],
    ];
  });
}

interface Mount {
  readonly at: string;
  readonly options: readonly string[];
}

/** What is mounted where, the last one on top. */
const readMounts = (): readonly Mount[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .map(([, , , , at = "", options = ""]) => ({
      at: at.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
      options: options.split(","),
    }));

// Who has no rights outside may take none of these away, so that they have to be said again.
function lockedOf(path: string, mounts: readonly Mount[]): readonly string[] {
  const found = mounts.filter(({ at }) => at === "/" || path === at || path.startsWith(`${at}/`));
  const deepest = found.reduce<Mount | undefined>(
    (best, one) => (best === undefined || one.at.length >= best.at.length ? one : best),
    undefined,
  );
  return (deepest?.options ?? []).filter((option) => ["nosuid", "nodev", "noexec"].includes(option));
}

/** The folders on the way to a path, the outermost first, without the root. */
function foldersTo(path: string): readonly string[] {
  const above = dirname(path);
  return above === path || above === dirname(above) ? [] : [...foldersTo(above), above];
}

// Who owns the folder above may take the right to write there.
function canBeRenamed(folder: string): boolean {
  const above = dirname(folder);
  try {
    if (statSync(above).uid === process.getuid?.()) return true;
    accessSync(above, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
