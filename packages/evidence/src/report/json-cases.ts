import { z } from "zod";
import {
  idOf,
  relativeToWorkspace,
  unreadable,
  type ReadCases,
  type Status,
  type TestCase,
} from "./report.ts";

const count = z.int().min(0);

const jest = z.object({
  numTotalTests: count,
  numPassedTests: count,
  numFailedTests: count,
  numPendingTests: count,
  numTodoTests: count.optional(),
  testResults: z.array(
    z.object({
      name: z.string().optional(),
      status: z.string().optional(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()).optional(),
          title: z.string(),
          status: z.string(),
        }),
      ),
    }),
  ),
  coverageMap: z.record(z.string(), z.object({ s: z.record(z.string(), z.number()) })).nullish(),
});

const pytest = z.object({
  summary: z.record(z.string(), z.unknown()),
  tests: z.array(z.object({ nodeid: z.string(), outcome: z.string() })).optional(),
  collectors: z.array(z.object({ nodeid: z.string(), outcome: z.string() })).optional(),
});

/** Reads the JSON reports of vitest, jest and pytest-json-report. */
export function readJsonCases(text: string, workspace: string | undefined): ReadCases {
  const data: unknown = JSON.parse(text);
  const asJest = jest.safeParse(data);
  if (asJest.success) return jestCases(asJest.data, workspace);
  const asPytest = pytest.safeParse(data);
  if (asPytest.success) return pytestCases(asPytest.data);
  return unreadable("This JSON is not a report of vitest, jest or pytest-json-report");
}

const JEST: Readonly<Record<string, Status>> = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
  pending: "skipped",
  todo: "skipped",
  disabled: "skipped",
  focused: "passed",
};

function jestCases(report: z.output<typeof jest>, workspace: string | undefined): ReadCases {
  const cases: TestCase[] = [];
  const sums: Record<Status, number> = { passed: 0, failed: 0, skipped: 0, error: 0 };
  for (const { name, status, assertionResults } of report.testResults) {
    const file = name === undefined ? undefined : relativeToWorkspace(name, workspace);
    for (const one of assertionResults) {
      const result = Object.hasOwn(JEST, one.status) ? JEST[one.status] : undefined;
      if (result === undefined)
        return unreadable("A test has a status that jest and vitest do not write");
      sums[result] += 1;
      cases.push({ id: idOf([file, ...(one.ancestorTitles ?? []), one.title]), status: result });
    }
    // A file that failed without a failed test could not be loaded, or a hook around its tests failed.
    if (status === "failed" && !assertionResults.some((one) => one.status === "failed"))
      cases.push({ id: file ?? "", status: "error" });
  }
  const said = {
    total: report.numTotalTests,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
  compare(said, {
    total: sums.passed + sums.failed + sums.skipped,
    passed: sums.passed,
    failed: sums.failed,
    skipped: sums.skipped,
  });
  return { cases, coverage: statementsOf(report.coverageMap ?? undefined) };
}

const PYTEST: Readonly<Record<string, Status>> = {
  passed: "passed",
  failed: "failed",
  error: "error",
  skipped: "skipped",
  xfailed: "skipped",
  xpassed: "skipped",
};

function pytestCases({ summary, tests = [], collectors = [] }: z.output<typeof pytest>): ReadCases {
  const sums = new Map<string, number>();
  const cases = tests.map(({ nodeid, outcome }): TestCase => {
    const status = Object.hasOwn(PYTEST, outcome) ? PYTEST[outcome] : undefined;
    if (status === undefined) return unreadable("A test has an outcome that pytest does not write");
    sums.set(outcome, (sums.get(outcome) ?? 0) + 1);
    return { id: nodeid, status };
  });
  const said: Record<string, number> = { total: numberOf(summary["total"]) };
  const counted: Record<string, number> = { total: tests.length };
  for (const outcome of Object.keys(PYTEST)) {
    said[outcome] = numberOf(summary[outcome]);
    counted[outcome] = sums.get(outcome) ?? 0;
  }
  compare(said, counted);
  const broken = collectors.filter(({ outcome }) => outcome !== "passed" && outcome !== "skipped");
  return {
    cases: [...cases, ...broken.map(({ nodeid }): TestCase => ({ id: nodeid, status: "error" }))],
    coverage: null,
  };
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

function compare(
  said: Readonly<Record<string, number>>,
  counted: Readonly<Record<string, number>>,
): void {
  for (const [kind, number] of Object.entries(said)) {
    if (number !== counted[kind])
      unreadable(`The summary says ${number} ${kind}, but the report has ${counted[kind] ?? 0}`);
  }
}

function statementsOf(
  map: Readonly<Record<string, { readonly s: Readonly<Record<string, number>> }>> | undefined,
): number | null {
  const hits = Object.values(map ?? {}).flatMap(({ s }) => Object.values(s));
  return hits.length === 0
    ? null
    : Math.round((hits.filter((times) => times > 0).length / hits.length) * 10_000) / 100;
}
