import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, relative, sep } from "node:path";

// The variables that a program always gets. All others are dropped: secrets, and variables that
// influence the programs it starts.
const HANDED_ON: readonly string[] = "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH TMPDIR TZ USER".split(
  " ",
);
// Without these, no program starts on Windows.
const WINDOWS: readonly string[] = [
  "ComSpec",
  "PATHEXT",
  "SystemRoot",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "LOCALAPPDATA",
  "APPDATA",
];

/** The parts of an environment. */
export interface EnvironmentOptions {
  /**
   * A folder whose programs cannot be found by name, so that a file of an agent never runs in place
   * of another program.
   */
  readonly workspace?: string | undefined;
  /**
   * The names of more variables to pass on. If `PATH` is one of them, it is passed on unchanged.
   */
  readonly names?: readonly string[];
  /** Variables with given values, which take precedence. */
  readonly set?: Readonly<Record<string, string>>;
  /** The environment to take values from. Default: that of this process. */
  readonly given?: Readonly<Record<string, string | undefined>>;
}

/**
 * Builds the environment of a program: a few standard variables, the named ones, and a PATH of
 * absolute folders.
 */
export function programEnvironment(
  options: EnvironmentOptions = {},
): Readonly<Record<string, string>> {
  const { workspace, names = [], set = {}, given = process.env } = options;
  const env: Record<string, string> = {};
  for (const name of [...HANDED_ON, ...WINDOWS, ...names]) {
    const value = given[name];
    if (value !== undefined) env[name] = value;
  }
  if (!names.includes("PATH"))
    env["PATH"] = pathOutside(given["PATH"] ?? given["Path"] ?? "", workspace);
  return { ...env, ...set };
}

const pathOutside = (path: string, workspace: string | undefined): string =>
  path
    .split(delimiter)
    .filter(
      (entry) => isAbsolute(entry) && (workspace === undefined || isOutside(entry, workspace)),
    )
    .join(delimiter);

function isOutside(entry: string, workspace: string): boolean {
  try {
    const path = relative(realpathSync(workspace), realpathSync(entry));
    return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  } catch {
    return false;
  }
}
