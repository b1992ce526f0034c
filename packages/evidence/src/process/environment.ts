import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, relative, sep } from "node:path";

/** What a test command gets of the environment. Everything else stays behind: secrets, and what would steer the runner. */
const HANDED_ON: readonly string[] = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "TMPDIR",
  "TZ",
  "USER",
  // Without these nothing starts on Windows.
  "ComSpec",
  "PATHEXT",
  "SystemRoot",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "LOCALAPPDATA",
  "APPDATA",
];

/**
 * The environment of a test command. `CI` is set, so that runners write no snapshots. Folders in the workspace are left out of the
 * path, so that nobody plants a program there.
 */
export function testEnvironment(
  workspace: string,
  given: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const env: Record<string, string> = { CI: "1", NO_COLOR: "1", FORCE_COLOR: "0" };
  for (const name of HANDED_ON) {
    const value = given[name];
    if (value !== undefined) env[name] = value;
  }
  env["PATH"] = (given["PATH"] ?? given["Path"] ?? "")
    .split(delimiter)
    .filter((entry) => outside(entry, workspace))
    .join(delimiter);
  return env;
}

function outside(entry: string, workspace: string): boolean {
  if (!isAbsolute(entry)) return false;
  try {
    const path = relative(workspace, realpathSync(entry));
    return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  } catch {
    return false;
  }
}
