/** The supported formats of reports. */
export type ReportFormat = "junit" | "tap" | "json";

/**
 * The result of one test. `error` means that something kept tests from running, such as a file that does not load or a hook that
 * fails.
 */
export type Status = "passed" | "failed" | "skipped" | "error";

export interface TestCase {
  readonly id: string;
  readonly status: Status;
}

export interface ReadCases {
  readonly cases: readonly TestCase[];
  /** In percent. Null if the report has no coverage. */
  readonly coverage: number | null;
}

/** The number of tests with each result. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly errors: number;
}

/** Ids of tests, in the order of the report. */
export interface TestIds {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

/** The result of a report, or the reason why it has none. */
export type Report =
  | {
      readonly counts: Counts;
      readonly tests: TestIds;
      readonly coverage: number | null;
      readonly report_error: null;
    }
  | {
      readonly counts: null;
      readonly tests: null;
      readonly coverage: null;
      readonly report_error: string;
    };

/** A report that cannot be used. Its message contains nothing of the report but numbers. */
export class Unreadable extends Error {}

/** Throws the reason why a report cannot be used. */
export function unreadable(why: string): never {
  throw new Unreadable(why);
}

/** A report without results, and the reason. */
export const noReport = (report_error: string): Report => ({
  counts: null,
  tests: null,
  coverage: null,
  report_error,
});

const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs)$/;

/** Whether a failed test is really a file: runners report a file that does not load as a failed test with the name of the file. */
export const isFileName = (name: string, owner?: string): boolean =>
  SOURCE.test(name) && (!/\s/.test(name) || name === owner);

/** Removes the path of the workspace from a path. */
export function relativeToWorkspace(path: string, workspace: string | undefined): string {
  const plain = path.replaceAll("\\", "/");
  const root = workspace?.replaceAll("\\", "/").replace(/\/+$/, "");
  return root !== undefined && root !== "" && plain.startsWith(`${root}/`)
    ? plain.slice(root.length + 1)
    : plain;
}

/** Joins parts to one id. A part that equals the previous one is left out. */
export function idOf(parts: readonly (string | undefined)[]): string {
  const kept: string[] = [];
  for (const part of parts)
    if (part !== undefined && part !== "" && part !== kept.at(-1)) kept.push(part);
  return kept.join(" > ");
}
