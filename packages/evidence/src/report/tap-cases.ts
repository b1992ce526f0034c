import { Parser, type Result } from "tap-parser";
import { MAX_TESTS } from "../test-run.ts";
import {
  relativeToWorkspace,
  isFileName,
  unreadable,
  type ReadCases,
  type Status,
  type TestCase,
} from "./report.ts";

const MAX_INDENT = 400;
const POINT = /^ *(?:not )?ok\b/;
const PLAN = /^ *\d+\.\.\d+/;
const PART = /^(?:(?:not )?ok\b|\d+\.\.\d+|TAP version |# Subtest\b|Bail out!|\}\s*$)/;
const DETAIL = /^(?:type|failureType): '[A-Za-z]+'\s*$/;
const MAX_LINE = 10_000;
const MAX_LINES = 6 * MAX_TESTS;
const NEVER_RAN: ReadonlySet<unknown> = new Set([
  "hookFailed",
  "cancelledByParent",
  "parentAlreadyFinished",
]);

/** Reads TAP 13 and 14 with subtests. Every plan must be present and correct. */
export function readTapCases(text: string, workspace: string | undefined): ReadCases {
  // Without a plan, the parser invents one that says that no tests were planned.
  if (!/^\d+\.\.\d+/m.test(text)) unreadable("The text has no TAP plan");
  const problems: string[] = [];
  const cases: TestCase[] = [];
  const parser = new Parser({ name: "" });
  listen(parser, cases, problems, workspace);
  parser.end(plainLines(text));
  if (problems[0] !== undefined) unreadable(problems[0]);
  return { cases, coverage: coverageOf(text) };
}

function listen(
  parser: Parser,
  cases: TestCase[],
  problems: string[],
  workspace: string | undefined,
): void {
  let failedBelow = false;
  let count = 0;
  parser.on("child", (child: Parser) => {
    listen(child, cases, problems, workspace);
    child.on("complete", ({ ok }: { readonly ok: boolean }) => (failedBelow ||= !ok));
  });
  parser.on("assert", (point: Result) => {
    const status = statusOf(point, failedBelow);
    if (point.closingTestPoint) failedBelow = false;
    if (status !== undefined)
      cases.push({ id: relativeToWorkspace(point.fullname, workspace), status });
    count += 1;
  });
  parser.on("bailout", () => problems.push("The run bailed out before its end"));
  // The parser would silently ignore a line that it does not recognize as a result.
  parser.on("extra", (line: string) => {
    if (POINT.test(line) || PLAN.test(line)) problems.push("A test result stands outside the plan");
  });
  parser.on(
    "complete",
    ({
      plan,
    }: {
      readonly plan: {
        readonly start: number | null;
        readonly end: number | null;
        readonly skipAll: boolean;
      };
    }) => {
      const { start, end, skipAll } = plan;
      if (start === null || end === null) problems.push("The report ends without a plan");
      else if (skipAll ? count > 0 : end - start + 1 !== count) {
        problems.push(
          `The report has ${count} tests, but its plan says ${Math.max(0, end - start + 1)}`,
        );
      }
    },
  );
}

// A result that closes subtests repeats their result, unless node:test marks it as a separate test.
function statusOf(point: Result, failedBelow: boolean): Status | undefined {
  const { type, failureType } = (point.diag ?? {}) as {
    readonly type?: unknown;
    readonly failureType?: unknown;
  };
  if (point.skip !== false || point.todo !== false)
    return point.closingTestPoint && type !== "test" ? undefined : "skipped";
  if (point.closingTestPoint && type !== "test")
    return point.ok || failedBelow ? undefined : "error";
  if (point.ok) return "passed";
  return NEVER_RAN.has(failureType) || isFileName(point.name) ? "error" : "failed";
}

// Keeps only the lines that belong to a report, and the two details of a test that are needed, because parsing anything else only
// takes time.
function plainLines(text: string): string {
  const kept: string[] = [];
  let point: number | undefined;
  let block: number | undefined;
  for (const line of text.split(/\r?\n/)) {
    const plain = line.trimStart();
    const indent = line.length - plain.length;
    if (block !== undefined) {
      const ends = indent === block && plain.trimEnd() === "...";
      if (ends || (indent === block && DETAIL.test(plain))) kept.push(line);
      if (ends) block = undefined;
      continue;
    }
    if (point !== undefined && indent > point && plain.trimEnd() === "---") {
      block = indent;
      kept.push(line);
    }
    point = undefined;
    if (!PART.test(plain)) continue;
    if (indent > MAX_INDENT)
      unreadable(`The report is nested deeper than ${MAX_INDENT / 4} levels`);
    if (line.length > MAX_LINE)
      unreadable(`A line has ${line.length} characters; at most ${MAX_LINE} are read`);
    if (kept.length > MAX_LINES) unreadable(`The report has more than ${MAX_TESTS} tests`);
    if (POINT.test(plain)) point = indent;
    kept.push(line);
  }
  if (block !== undefined) unreadable("The details of a test have no closing `...`");
  return kept.join("\n");
}

// node:test prints its coverage as a comment at the end.
function coverageOf(text: string): number | null {
  const table = text.slice(Math.max(0, text.lastIndexOf("# start of coverage report")));
  const [, percent] = /^# all files +\| +(\d{1,3}(?:\.\d+)?) \|/m.exec(table) ?? [];
  return percent === undefined ||
    Number(percent) > 100 ||
    !text.includes("# start of coverage report")
    ? null
    : Number(percent);
}
