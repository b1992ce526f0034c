import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import {
  MAX_NAMED_TESTS,
  MAX_REPORT,
  MAX_TESTS,
  hashTestId,
  readReport,
  testRunDetails,
  type Report,
} from "../src/index.ts";

const junit = (text: string): Report => readReport("junit", text, { workspace: "/srv/repo" });
const tap = (text: string): Report => readReport("tap", text);
const json = (data: unknown): Report =>
  readReport("json", JSON.stringify(data), { workspace: "/srv/repo" });

describe("JUnit", () => {
  it("reads pytest; a file that is not collected is an error", () => {
    const report =
      junit(`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1"
      skipped="2" tests="5" time="0.05"><testcase classname="" name="tests.test_broken" time="0.0"><error message="collection failure">E</error></testcase>
      <testcase classname="tests.test_add" name="test_adds" time="0.001"/><testcase classname="tests.test_add" name="test_wrong"><failure
      message="assert 1 == 2">no</failure></testcase><testcase classname="tests.test_add" name="test_later"><skipped type="pytest.skip" message="later"/></testcase>
      <testcase classname="tests.test_add" name="test_xfail"><skipped type="pytest.xfail" message=""/></testcase></testsuite></testsuites>`);
    expect(report).toEqual({
      counts: { passed: 1, failed: 1, skipped: 2, errors: 1 },
      tests: {
        passed: ["pytest > tests.test_add > test_adds"],
        failed: ["pytest > tests.test_add > test_wrong"],
        skipped: ["pytest > tests.test_add > test_later", "pytest > tests.test_add > test_xfail"],
      },
      coverage: null,
      report_error: null,
    });
  });

  it("reads surefire, with a suite as the root and tests that passed at the second try", () => {
    const report =
      junit(`<testsuite name="org.AddTest" tests="3" errors="1" skipped="0" failures="0"><properties><property name="a" value="b"/></properties>
      <testcase name="adds" classname="org.AddTest"/><testcase name="flaky" classname="org.AddTest"><flakyFailure message="x" type="y"/></testcase>
      <testcase name="throws" classname="org.AddTest"><error type="java.lang.Error"/></testcase></testsuite>`);
    expect(report.counts).toEqual({ passed: 2, failed: 0, skipped: 0, errors: 1 });
    expect(report.tests?.passed).toEqual(["org.AddTest > adds", "org.AddTest > flaky"]);
  });

  it("reads go-junit-report; a package that does not build is an error", () => {
    const report =
      junit(`<testsuites tests="3" failures="2"><testsuite name="example.org/add" tests="2" failures="1" errors="0" skipped="0">
      <testcase name="TestAdd" classname="example.org/add"/><testcase name="TestAdd/neg" classname="example.org/add"><failure message="Failed"/></testcase></testsuite>
      <testsuite name="example.org/sub" tests="1" failures="1" errors="0"><testcase name="[build failed]" classname="example.org/sub"><failure message="Failed"/></testcase></testsuite></testsuites>`);
    expect(report.counts).toEqual({ passed: 1, failed: 1, skipped: 0, errors: 1 });
    expect(report.tests?.failed).toEqual(["example.org/add > TestAdd/neg"]);
  });

  it("reads jest-junit and gtest, with tests that were not run", () => {
    const report =
      junit(`<testsuites name="jest tests" tests="3" failures="0" errors="0"><testsuite name="add" tests="3" errors="0" failures="0" skipped="2">
      <testcase classname="add adds" name="add adds"/><testcase classname="add later" name="add later"><skipped/></testcase>
      <testcase classname="add" name="DISABLED_x" status="notrun"/></testsuite></testsuites>`);
    expect(report.counts).toEqual({ passed: 1, failed: 0, skipped: 2, errors: 0 });
  });

  it("counts two tests with the same name, in any order", () => {
    const twice = `<testsuites><testcase name="a"/><testcase name="a (2)"/><testcase name="a"><failure/></testcase><testcase name="a"/></testsuites>`;
    expect(junit(twice).tests).toEqual({
      passed: ["a", "a (2)", "a (4)"],
      failed: ["a (3)"],
      skipped: [],
    });
  });

  it("names files relative to the workspace", () => {
    expect(
      junit(
        `<testsuites><testcase name="t" classname="test" file="/srv/repo/tests/a.js"/></testsuites>`,
      ).tests?.passed,
    ).toEqual(["tests/a.js > t"]);
  });

  it.each<readonly [string, string]>([
    ...readCases<[string, string]>(import.meta, "unreadable"),
    [
      "a hundred thousand levels",
      `${"<testsuite>".repeat(100_000)}${"</testsuite>".repeat(100_000)}`,
    ],
    [
      "two hundred levels",
      `${"<testsuite>".repeat(200)}<testcase name="a"/>${"</testsuite>".repeat(200)}`,
    ],
    ["a million tests", `<testsuites>${"<testcase/>".repeat(1_000_000)}</testsuites>`],
    ["too many characters", `<testsuites>${" ".repeat(MAX_REPORT)}</testsuites>`],
  ])("rejects a report with %s", (_, text) => {
    const report = junit(text);
    expect(report).toMatchObject({ counts: null, tests: null, coverage: null });
    expect(report.report_error).toEqual(expect.any(String));
  });
});

describe("TAP", () => {
  it("reads subtests, todo, skip, and the details of tests", () => {
    const report = tap(`TAP version 14
# Subtest: add
    ok 1 - adds # time=1ms
    not ok 2 - wrong
      ---
      message: 'no'
      at: &a [*a]
      ...
    ok 3 - later # SKIP not yet
    not ok 4 - someday # todo
    1..4
not ok 1 - add
ok 2 - alone
1..2
`);
    expect(report.counts).toEqual({ passed: 2, failed: 1, skipped: 2, errors: 0 });
    expect(report.tests).toEqual({
      passed: ["add > adds", "alone"],
      failed: ["add > wrong"],
      skipped: ["add > later", "add > someday"],
    });
  });

  it("counts a suite that fails without failing tests, and a test whose hook fails, as errors", () => {
    const point = (number: number, type: string): string =>
      `not ok ${number} - x\n  ---\n  failureType: '${type}'\n  ...\n`;
    const report = tap(
      `# Subtest: s\n    ok 1 - a\n    1..1\nnot ok 1 - s\n${point(2, "hookFailed")}${point(3, "cancelledByParent")}${point(4, "testCodeFailure")}not ok 5 - tests/b.test.js\n1..5\n`,
    );
    expect(report.counts).toEqual({ passed: 1, failed: 1, skipped: 0, errors: 4 });
  });

  it.each([
    ["a plan of more tests", "1..3\nok 1\nok 2\n"],
    ["a plan of fewer tests", "1..1\nok 1\nnot ok 2\n"],
    ["no plan", "ok 1 - a\nok 2 - b\n"],
    ["a test after the plan", "ok 1\n1..1\nnot ok 2 - late\n"],
    ["two plans", "1..1\nok 1 - a\n1..1\nok 1 - a\n"],
    ["a subtest short of its plan", "# Subtest: s\n    ok 1 - a\n    1..2\nok 1 - s\n1..1\n"],
    ["a bail out", "1..1\nok 1 - a\nBail out! no database\n"],
    ["no result", "hello\n"],
    ["a line without end", `1..1\nok 1 - ${"\\\\".repeat(20_000)}\n`],
    ["what is told cut off", "1..1\nok 1 - a\n  ---\n  type: 'test'\n"],
    [
      "a depth that nobody needs",
      Array.from({ length: 2_000 }, (_, level) => `${" ".repeat(4 * level)}# Subtest: s`).join(
        "\n",
      ),
    ],
    ["a million tests", `1..1000000\n${"ok\n".repeat(1_000_000)}`],
  ])("rejects a report with %s", (_, text) => {
    expect(tap(text)).toMatchObject({ counts: null, tests: null });
    expect(tap(text).report_error).toEqual(expect.any(String));
  });

  it("is not disturbed by other output", () => {
    const noise = "x\n# y\n  ---\n  ...\npragma +strict\n".repeat(200_000);
    expect(tap(`TAP version 13\nok 1 - a\n${noise}1..1\n`).counts).toEqual({
      passed: 1,
      failed: 0,
      skipped: 0,
      errors: 0,
    });
  });

  it("has the coverage that node:test prints at the end", () => {
    const table = (percent: string): string =>
      `# start of coverage report\n# all files | ${percent} |   50.00 |  100.00 | \n# end of coverage report\n`;
    expect(tap(`ok 1 - a\n1..1\n${table("12.00")}${table("87.50")}`).coverage).toBe(87.5);
    expect(tap(`ok 1 - a\n1..1\n# all files | 100.00 |\n`).coverage).toBeNull();
  });
});

describe("JSON", () => {
  const jest = (
    tests: readonly (readonly [string, string])[],
    counts: object,
    more: object = {},
  ): object => ({
    numTotalTests: tests.length,
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    ...counts,
    testResults: [
      {
        name: "/srv/repo/tests/a.test.ts",
        status: tests.some(([, status]) => status === "failed") ? "failed" : "passed",
        assertionResults: tests.map(([title, status]) => ({
          ancestorTitles: ["add"],
          title,
          status,
        })),
      },
    ],
    ...more,
  });

  it("reads jest and vitest, with coverage if there is some", () => {
    const tests = [
      ["adds", "passed"],
      ["wrong", "failed"],
      ["later", "pending"],
      ["someday", "todo"],
    ] as const;
    const coverageMap = { "/srv/repo/src/a.ts": { s: { 0: 1, 1: 0, 2: 3 } } };
    const report = json(
      jest(
        tests,
        { numPassedTests: 1, numFailedTests: 1, numPendingTests: 1, numTodoTests: 1 },
        { coverageMap },
      ),
    );
    expect(report).toEqual({
      counts: { passed: 1, failed: 1, skipped: 2, errors: 0 },
      tests: {
        passed: ["tests/a.test.ts > add > adds"],
        failed: ["tests/a.test.ts > add > wrong"],
        skipped: ["tests/a.test.ts > add > later", "tests/a.test.ts > add > someday"],
      },
      coverage: 66.67,
      report_error: null,
    });
  });

  it("counts a failed file without results as an error", () => {
    const broken = {
      name: "/srv/repo/tests/b.test.ts",
      status: "failed",
      message: "Cannot find module",
      assertionResults: [],
    };
    expect(json(jest([], {}, { testResults: [broken] })).counts).toEqual({
      passed: 0,
      failed: 0,
      skipped: 0,
      errors: 1,
    });
  });

  it("reads pytest-json-report; a file that was not collected is an error", () => {
    const report = json({
      summary: { passed: 1, failed: 1, xfailed: 1, total: 3, collected: 3 },
      collectors: [
        { nodeid: "", outcome: "passed", result: [] },
        { nodeid: "tests/test_b.py", outcome: "failed" },
      ],
      tests: [
        { nodeid: "tests/test_a.py::test_1", outcome: "passed" },
        { nodeid: "tests/test_a.py::test_2", outcome: "failed" },
        { nodeid: "tests/test_a.py::test_3", outcome: "xfailed" },
      ],
    });
    expect(report.counts).toEqual({ passed: 1, failed: 1, skipped: 1, errors: 1 });
  });

  it.each(readCases<[string, object | string[]]>(import.meta, "false-reports"))(
    "does not read a report with %s",
    (_, data) => {
      expect(json(data)).toMatchObject({ counts: null, tests: null });
    },
  );

  it("does not quote text that is not JSON, and survives deep nesting", () => {
    const secret = readReport("json", 'token=hunter2 {"a":');
    expect(secret.report_error).toBe("The report is not valid json");
    expect(readReport("json", "[".repeat(500_000)).counts).toBeNull();
    expect(readReport("json", 7 as unknown as string).counts).toBeNull();
    expect(readReport("constructor" as "json", "{}").counts).toBeNull();
  });

  it("keeps ids that are names of JavaScript's own properties", () => {
    const report = json(
      jest(
        [
          ["__proto__", "passed"],
          ["constructor", "passed"],
        ],
        { numPassedTests: 2 },
      ),
    );
    expect(report.tests?.passed).toEqual([
      "tests/a.test.ts > add > __proto__",
      "tests/a.test.ts > add > constructor",
    ]);
  });
});

describe("ids", () => {
  it("are hashed if there are more than 5,000, equally in every run", () => {
    const many = Array.from(
      { length: MAX_NAMED_TESTS + 1 },
      (_, number) => `<testcase name="t${number}"/>`,
    ).join("");
    const report = junit(`<testsuites>${many}</testsuites>`);
    expect(report.tests?.passed[0]).toBe(hashTestId("t0"));
    expect(report.tests?.passed).toHaveLength(MAX_NAMED_TESTS + 1);
    expect(report.tests?.passed.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  });

  it("are hashed if they are long, and contain no half of a character", () => {
    const long = "x".repeat(501);
    expect(junit(`<testsuites><testcase name="${long}"/></testsuites>`).tests?.passed).toEqual([
      hashTestId(long),
    ]);
    const half = JSON.stringify({
      numTotalTests: 1,
      numPassedTests: 1,
      numFailedTests: 0,
      numPendingTests: 0,
      testResults: [{ assertionResults: [{ title: "x", status: "passed" }] }],
    });
    expect(readReport("json", half.replace('"x"', String.raw`"\ud800"`)).tests?.passed).toEqual([
      "\ufffd",
    ]);
  });

  it("are limited in number", () => {
    const many = (count: number): string =>
      JSON.stringify({
        summary: { total: count, passed: count },
        tests: Array.from({ length: count }, (_, number) => ({
          nodeid: `${number}`,
          outcome: "passed",
        })),
      });
    expect(readReport("json", many(MAX_TESTS)).counts?.passed).toBe(MAX_TESTS);
    expect(readReport("json", many(MAX_TESTS + 1)).counts).toBeNull();
  });
});

describe("the details of a run", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const run = {
    observed_by: "bylaw",
    argv: ["npm", "test"],
    exit_code: 0,
    signal: null,
    timed_out: false,
    duration_ms: 1,
    counts: { passed: 1, failed: 0, skipped: 0, errors: 0 },
    report_error: null,
    tests: { passed: ["a"], failed: [], skipped: [] },
    coverage: null,
    tree_before: digest,
    tree_after: digest,
    frozen: {},
    contract: digest,
  };
  it.each(readCases<[string, object, boolean]>(import.meta, "changes"))(
    "hold %s: %j",
    (_, change, holds) => {
      expect(testRunDetails.safeParse({ ...run, ...change }).success).toBe(holds);
    },
  );
});
