/** The forms of reports that are read. */
export type ReportFormat = "junit" | "tap" | "json";

/**
 * What came of one test. An error is what kept tests from running: a file that does not load, a
 * hook that fails.
 */
export type Status = "passed" | "failed" | "skipped" | "error";

export interface TestCase {
  readonly id: string;
  readonly status: Status;
}

export interface ReadCases {
  readonly cases: readonly TestCase[];
  /** In percent; null where the report does not say. */
  readonly coverage: number | null;
}

/** How many tests of each kind. */
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

/** What a report says, or why it says nothing. */
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

/** A report that cannot be taken as one. Its message holds nothing of the report but numbers. */
export class Unreadable extends Error {}

/** Says why a report is none. */
export function unreadable(why: string): never {
  throw new Unreadable(why);
}

/** A report that says nothing, and why. */
export const noReport = (report_error: string): Report => ({
  counts: null,
  tests: null,
  coverage: null,
  report_error,
});

const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs)$/;

/**
 * Whether what failed is a file rather than a test in it: runners report a file that does not load
 * as a failed test with the name of the file.
 */
export const isFileName = (name: string, owner?: string): boolean =>
  SOURCE.test(name) && (!/\s/.test(name) || name === owner);

/** A path without the workspace in front of it. */
export function relativeToWorkspace(path: string, workspace: string | undefined): string {
  const plain = path.replaceAll("\\", "/");
  const root = workspace?.replaceAll("\\", "/").replace(/\/+$/, "");
  return root !== undefined && root !== "" && plain.startsWith(`${root}/`)
    ? plain.slice(root.length + 1)
    : plain;
}

/** Parts to one id: what repeats the part before it is left out. */
export function idOf(parts: readonly (string | undefined)[]): string {
  const kept: string[] = [];
  for (const part of parts)
    if (part !== undefined && part !== "" && part !== kept.at(-1)) kept.push(part);
  return kept.join(" > ");
}
