import { hashTestId } from "./hash-test-id.ts";
import { readJsonCases } from "./json-cases.ts";
import { readJunitCases } from "./junit-cases.ts";
import { readTapCases } from "./tap-cases.ts";
import { MAX_NAMED_TESTS, MAX_TESTS } from "../test-run.ts";
import {
  Unreadable,
  noReport,
  type ReadCases,
  type Report,
  type ReportFormat,
  type TestCase,
} from "./report.ts";

/** The maximum length of a report in characters. */
export const MAX_REPORT = 16 * 1024 * 1024;
const MAX_ID = 500;

const READERS: Readonly<
  Record<ReportFormat, (text: string, workspace: string | undefined) => ReadCases>
> = { junit: readJunitCases, tap: readTapCases, json: readJsonCases };

/**
 * Reads the report of a test runner. Never throws: if the report does not parse, is too long or too deep, or its summary
 * contradicts its tests, it has a `report_error` and no counts. Paths inside the workspace become relative to it.
 */
export function readReport(
  format: ReportFormat,
  text: string,
  { workspace }: { readonly workspace?: string } = {},
): Report {
  try {
    if (typeof text !== "string" || !Object.hasOwn(READERS, format))
      return noReport("The report format must be junit, tap or json");
    if (text.length > MAX_REPORT)
      return noReport(`The report has ${text.length} characters; at most ${MAX_REPORT} are read`);
    if (text.trim() === "") return noReport(`The ${format} report is empty`);
    const { cases, coverage } = READERS[format](text, workspace);
    return tally(cases, coverage);
  } catch (error) {
    if (error instanceof Unreadable) return noReport(error.message);
    // The parser's error may quote the report, and deep recursion ends in a RangeError, so neither message is passed on.
    return noReport(
      error instanceof RangeError
        ? "The report is nested too deeply"
        : `The report is not valid ${format}`,
    );
  }
}

function tally(cases: readonly TestCase[], coverage: number | null): Report {
  if (cases.length > MAX_TESTS)
    return noReport(`The report has ${cases.length} tests; at most ${MAX_TESTS} are read`);
  const tests = {
    passed: [] as string[],
    failed: [] as string[],
    skipped: [] as string[],
    error: [] as string[],
  };
  const seen = new Set<string>();
  const times = new Map<string, number>();
  for (const { id, status } of cases) tests[status].push(unique(id.toWellFormed(), seen, times));
  const { error, ...named } = tests;
  const hashed = cases.length > MAX_NAMED_TESTS;
  const name = (id: string): string => (hashed || id.length > MAX_ID ? hashTestId(id) : id);
  return {
    counts: {
      passed: named.passed.length,
      failed: named.failed.length,
      skipped: named.skipped.length,
      errors: error.length,
    },
    tests: {
      passed: named.passed.map(name),
      failed: named.failed.map(name),
      skipped: named.skipped.map(name),
    },
    coverage,
    report_error: null,
  };
}

// A second test of the same name gets its own id, so that removing it removes an id.
function unique(id: string, seen: Set<string>, times: Map<string, number>): string {
  let count = (times.get(id) ?? 0) + 1;
  let name = count === 1 ? id : `${id} (${count})`;
  while (seen.has(name)) name = `${id} (${++count})`;
  times.set(id, count);
  seen.add(name);
  return name;
}
