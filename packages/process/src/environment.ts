import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, relative, sep } from "node:path";

// What a program gets without being named. Everything else stays behind: secrets, and what would
// steer what it starts.
const HANDED_ON: readonly string[] = "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH TMPDIR TZ USER".split(
  " ",
);
// Without these nothing starts on Windows.
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

/** What an environment is made of. */
export interface EnvironmentOptions {
  /**
   * Folders whose programs are not found by name: what an agent writes there is not run in the
   * place of another.
   */
  readonly workspace?: string | undefined;
  /** More variables that are handed on. One that is named `PATH` is handed on whole. */
  readonly names?: readonly string[];
  /** Variables with values of the caller's, which win. */
  readonly set?: Readonly<Record<string, string>>;
  /** Where values come from. Default: the environment of this process. */
  readonly given?: Readonly<Record<string, string | undefined>>;
}

/**
 * The environment of a program, made and not inherited: a few names, those that are asked for, and
 * a path of absolute folders.
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
