import { spawnSync } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import { constants } from "node:os";

/** What a contained program does not see. */
export interface Containment {
  /**
   * Absolute paths: a folder is empty to it, a file too; of a folder that it runs in only the way there is left. What is missing is left
   * out, and so is the folder that it runs in and the root.
   */
  readonly hide?: readonly string[];
  /** It is not started where it cannot be contained: that is an end with an `error`. Default: it then runs as its user. */
  readonly required?: boolean;
}

const toolOf = (name: string): string | undefined => [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
// A user and a list of processes of its own; when the first process ends, or who started it, so do all.
const OUTER = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"];
// Covers the places, and then gives up the right to uncover them. No argument is read as a line.
const INNER = `mount=$1 unshare=$2 user=$3 group=$4 count=$5; shift 5
here=$(pwd -P) || exit 125
while [ "$count" -gt 0 ]; do
  case "$here/" in "$1"/*) inside=1;; *) inside=0;; esac
  if [ ! -e "$1" ]; then :
  elif [ "$inside" = 1 ]; then
    "$mount" -t tmpfs -o size=64k,mode=0755 none "$1" && mkdir -p "$here" && "$mount" --no-canonicalize --bind . "$here" &&
      "$mount" -o remount,bind,ro "$1" && cd "$here" || exit 125
  elif [ -d "$1" ]; then "$mount" -t tmpfs -o size=4k,mode=0555 none "$1" || exit 125
  else "$mount" --bind /dev/null "$1" || exit 125; fi
  shift; count=$((count - 1))
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
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [128 + number, name]),
);

/** The signal that ended a contained program, by the exit code that the shell around it gives: that of a program of its own looks the same. */
export const signalOf = (code: number | null): string | null => (code === null ? null : (SIGNALS.get(code) ?? null));

/** The arguments that start a program contained. */
export function containing(argv: readonly string[], { hide = [] }: Containment, cwd: string): readonly string[] {
  const [unshare, mount] = [toolOf("unshare"), toolOf("mount")];
  if (unshare === undefined || mount === undefined) return [];
  const here = realpathSync(cwd);
  // The outermost first: what is covered is not there to be covered again.
  const found = [...new Set(hide.filter((path) => existsSync(path)).map((path) => realpathSync(path)))].sort();
  const hidden = found.filter((path) => path !== here && path !== "/");
  const who = [process.getuid?.() ?? 0, process.getgid?.() ?? 0, hidden.length].map(String);
  return [unshare, ...OUTER, "--", "/bin/sh", "-c", INNER, "sh", mount, unshare, ...who, ...hidden, ...argv];
}
