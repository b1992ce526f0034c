import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { MAX_REPORT } from "../report/read-report.ts";

/** The text of a report, or the reason why there is none. */
export type ReportText =
  | { readonly text: string; readonly error: null }
  | { readonly text: null; readonly error: string };

// The clocks of file systems lag by less than this.
const SLACK_MS = 2_000;

/** Removes any file at the path of the report. Throws BYLAW_REPORT_REFUSED if the path is outside the workspace or is a folder. */
export function clearReport(workspace: string, report: string): string {
  const file = placeOf(workspace, report);
  if (file === undefined) throw refused(report, "is outside the workspace");
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) throw refused(report, "is a folder");
  // Removes a link itself, never its target.
  rmSync(file, { force: true });
  return file;
}

/** Reads a report that was written since `began` (milliseconds since 1970). */
export function takeReport(workspace: string, report: string, began: number): ReportText {
  const none = (error: string): ReportText => ({ text: null, error });
  const file = placeOf(workspace, report);
  if (file === undefined) return none("The report is outside the workspace");
  let handle: number | undefined;
  try {
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there === undefined) return none("The run wrote no report");
    if (!there.isFile() || there.nlink !== 1)
      return none("The report is a link or a folder, not a file");
    handle = openSync(
      file,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const { dev, ino, size, mtimeMs } = fstatSync(handle);
    if (dev !== there.dev || ino !== there.ino) return none("The report changed while it was read");
    if (mtimeMs < began - SLACK_MS) return none("The report is older than the run");
    if (size > MAX_REPORT)
      return none(`The report has ${size} bytes; at most ${MAX_REPORT} are read`);
    return { text: readFileSync(handle, "utf8"), error: null };
  } catch {
    return none("The report cannot be read");
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

// Returns the real path. Undefined if it is outside the workspace or a link on the way leads out.
function placeOf(workspace: string, report: string): string | undefined {
  const root = realpathSync(workspace);
  const asked = isAbsolute(report) ? relative(workspace, report) : report;
  const file = resolve(root, asked);
  let folder = dirname(file);
  // The run may create the folder, so resolve the nearest existing folder above it.
  const missing: string[] = [];
  while (lstatSync(folder, { throwIfNoEntry: false }) === undefined && folder !== dirname(folder)) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
  }
  let real: string;
  try {
    real = join(realpathSync(folder), ...missing, basename(file));
  } catch {
    return undefined;
  }
  const seen = relative(root, real);
  return seen === "" || seen === ".." || seen.startsWith("../") || isAbsolute(seen)
    ? undefined
    : real;
}

const refused = (report: string, what: string): BylawError =>
  new BylawError({
    code: "BYLAW_REPORT_REFUSED",
    message: `The report \`${report}\` ${what}`,
    fix: "Correct `test_command.report` in the contract, or the link that leads out of the workspace",
  });
