import { z } from "zod";

/** The maximum number of tests in a run. */
export const MAX_TESTS = 100_000;
/** The maximum number of tests that a run lists by id. A larger run lists a hash of each. */
export const MAX_NAMED_TESTS = 5_000;
/** The maximum number of files whose digests a run contains. */
export const MAX_FROZEN = 20_000;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const count = z.int().min(0).max(MAX_TESTS);
const ids = z.array(z.string().max(600)).max(MAX_TESTS);

/** The details of a `test_run` event: one run of a workspace's tests, observed by someone other than the agent. */
export const testRunDetails = z
  .strictObject({
    observed_by: z.enum(["bylaw", "host"]),
    argv: z.array(z.string()).min(1),
    exit_code: z.int().nullable(),
    /** The name of the signal that ended the run. */
    signal: z.string().nullable(),
    timed_out: z.boolean(),
    duration_ms: z.number().min(0),
    /** Null if and only if the report could not be read. */
    counts: z
      .strictObject({ passed: count, failed: count, skipped: count, errors: count })
      .nullable(),
    report_error: z.string().max(2_000).nullable(),
    /** The ids of tests, or 64-bit hashes of them in a run of more than 5,000. Errors are in none of the lists. */
    tests: z.strictObject({ passed: ids, failed: ids, skipped: ids }).nullable(),
    /** In percent. */
    coverage: z.number().min(0).max(100).nullable(),
    tree_before: digest,
    tree_after: digest,
    /** The commit that was checked out when the run began. Null without a repository or a commit. Absent if it was not read. */
    head: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
      .nullable()
      .optional(),
    /** The digests of test files and runner configuration when the run began, by path. */
    frozen: z.record(z.string(), digest),
    /** The digest of the contract. */
    contract: digest,
  })
  .refine(
    ({ counts, tests, report_error }) =>
      (counts === null) === (report_error !== null) && (counts === null) === (tests === null),
    "there must be counts and tests if and only if the report could be read",
  )
  .refine(
    ({ counts, tests }) =>
      counts === null ||
      tests === null ||
      (["passed", "failed", "skipped"] as const).every(
        (status) => counts[status] === tests[status].length,
      ),
    "each count must be the number of its tests",
  )
  .refine(
    ({ frozen }) => Object.keys(frozen).length <= MAX_FROZEN,
    `at most ${MAX_FROZEN} files can be frozen`,
  );

/** The details of a `test_run` event. */
export type TestRun = Readonly<z.output<typeof testRunDetails>>;
