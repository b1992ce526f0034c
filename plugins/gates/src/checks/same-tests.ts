import { hashTestId, type TestRun } from "@bylaw/evidence";
import { quoteAll } from "@bylaw/wording";
import type { Finding } from "./check-input.ts";

/** The name that waives a change of the tests. The tests themselves may still have to pass. */
export const TESTS_UNCHANGED = "tests_unchanged";

const HASHED = 5_000;

/**
 * The differences between a run and the tests that failed before: tests removed or skipped, or changes in test files or in the
 * runner's configuration.
 */
export function sameTests(red: TestRun, green: TestRun): readonly Finding[] {
  const details = [...testsOf(red, green), ...filesOf(red, green)];
  return details.map((detail) => ({
    kind: "no",
    detail,
    as: TESTS_UNCHANGED,
    fix: "Restore the tests as they were when they failed. If they were wrong, ask a person to waive `tests_unchanged`",
  }));
}

function testsOf(red: TestRun, green: TestRun): readonly string[] {
  if (red.tests === null || green.tests === null)
    return ["The test runs do not name their tests, so they cannot be compared"];
  // Very large runs store hashes of test names, so both sides are compared by hash.
  const [before, after] = [
    idsOf(red, size(red) <= HASHED && size(green) > HASHED),
    idsOf(green, size(green) <= HASHED && size(red) > HASHED),
  ];
  const [failed, skipped] = [new Set(after.failed), new Set(after.skipped)];
  const all = [...before.passed, ...before.failed, ...before.skipped];
  const left = countsOf([...after.passed, ...after.failed, ...after.skipped]);
  // If several tests share a name, all of them must still exist.
  const missing = [...countsOf(all)].flatMap(([id, times]) =>
    (left.get(id) ?? 0) < times ? [id] : [],
  );
  const disabled = [...before.passed, ...before.failed].filter((id) => skipped.has(id));
  const broken = before.failed.filter((id) => failed.has(id));
  return [
    ...(missing.length > 0
      ? [`${missing.length} test(s) of the failing run are gone: ${quoteAll(missing, 5)}`]
      : []),
    ...(disabled.length > 0
      ? [`${disabled.length} test(s) of the failing run are skipped: ${quoteAll(disabled, 5)}`]
      : []),
    ...(broken.length > 0
      ? [`${broken.length} test(s) of the failing run still fail: ${quoteAll(broken, 5)}`]
      : []),
  ];
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function filesOf(red: TestRun, green: TestRun): readonly string[] {
  const paths = Object.keys(red.frozen);
  const at = (path: string): string | undefined =>
    Object.hasOwn(green.frozen, path) ? green.frozen[path] : undefined;
  const gone = paths.filter((path) => at(path) === undefined);
  const changed = paths.filter((path) => at(path) !== undefined && at(path) !== red.frozen[path]);
  const added = Object.keys(green.frozen).filter(
    (path) => !Object.hasOwn(red.frozen, path) && steers(path),
  );
  return [
    ...(added.length > 0
      ? [`${added.length} new file(s) change how tests run: ${quoteAll(added, 5)}`]
      : []),
    ...(gone.length > 0 ? [`${gone.length} test file(s) are gone: ${quoteAll(gone, 5)}`] : []),
    ...(changed.length > 0
      ? [
          `${changed.length} test or test configuration file(s) have changed: ${quoteAll(changed, 5)}`,
        ]
      : []),
  ];
}

// New tests and snapshots are fine. A new configuration, mock or setup file could make the old
// tests pass.
function steers(path: string): boolean {
  const parts = path.toLowerCase().split("/");
  const name = parts.at(-1) ?? "";
  if (
    /\.(test|spec)\.|_test\.|^test_.*\.py$|_spec\.rb$/.test(name) ||
    parts.includes("__snapshots__")
  )
    return false;
  const inTests = parts.some((part) =>
    ["test", "tests", "spec", "specs", "__tests__"].includes(part),
  );
  return !inTests || /\.([cm]?[jt]sx?|py|rb|go|rs|php|java|kt)$|config|rc(\.|$)|setup/.test(name);
}

type Ids = {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
};

const size = ({ tests }: TestRun): number =>
  tests === null ? 0 : tests.passed.length + tests.failed.length + tests.skipped.length;

function idsOf({ tests }: TestRun, hash: boolean): Ids {
  const { passed = [], failed = [], skipped = [] } = tests ?? {};
  const each = (ids: readonly string[]): readonly string[] => (hash ? ids.map(hashTestId) : ids);
  return { passed: each(passed), failed: each(failed), skipped: each(skipped) };
}
