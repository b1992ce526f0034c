export { commitBase, commitState, type CommitState } from "./git/commit.ts";
export { frozenFiles } from "./frozen/frozen-files.ts";
export {
  observeTests,
  reportTestRun,
  type Observed,
  type ObserveOptions,
  type SeenTestRun,
  type TestRecorder,
} from "./observe-tests.ts";
export { hashTestId } from "./report/hash-test-id.ts";
export { MAX_REPORT, readReport } from "./report/read-report.ts";
export type { Counts, Report, ReportFormat, TestIds } from "./report/report.ts";
export { runTests, type RanTests, type RunTestsOptions } from "./run-tests.ts";
export { MAX_NAMED_TESTS, MAX_TESTS, testRunDetails, type TestRun } from "./test-run.ts";
export { contractTree } from "./tree/contract-tree.ts";
export { createTreeCache, type TreeCache } from "./tree/tree-cache.ts";
export { treeDigest, type Tree, type TreeEntry, type TreeOptions } from "./tree/tree-digest.ts";
