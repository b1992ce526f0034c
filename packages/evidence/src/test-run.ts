import { z } from "zod";

/** How many tests a run may have. */
export const MAX_TESTS = 100_000;
/** Up to how many tests a run names each of them; above that it holds a hash of each. */
export const MAX_NAMED_TESTS = 5_000;
/** How many files with a digest of their own a run may have. */
export const MAX_FROZEN = 20_000;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const count = z.int().min(0).max(MAX_TESTS);
const ids = z.array(z.string().max(600)).max(MAX_TESTS);

/**
 * What the event `test_run` says: one run of the tests of a workspace, as somebody saw it who is
 * not the agent.
 */
export const testRunDetails = z
  .strictObject({
    observed_by: z.enum(["bylaw", "host"]),
    argv: z.array(z.string()).min(1),
    exit_code: z.int().nullable(),
    /** The name of the signal that ended it. */
    signal: z.string().nullable(),
    timed_out: z.boolean(),
    duration_ms: z.number().min(0),
    /** Null if, and only if, the report could not be read. */
    counts: z
      .strictObject({ passed: count, failed: count, skipped: count, errors: count })
      .nullable(),
    report_error: z.string().max(2_000).nullable(),
    /**
     * Ids of tests; in a run of more than 5,000 a 64-bit hash of each. What is an error is in no
     * list.
     */
    tests: z.strictObject({ passed: ids, failed: ids, skipped: ids }).nullable(),
    /** In percent. */
    coverage: z.number().min(0).max(100).nullable(),
    tree_before: digest,
    tree_after: digest,
    /**
     * The commit that was checked out as the run began; null without a repository or a commit. Left
     * out: nobody looked.
     */
    head: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
      .nullable()
      .optional(),
    /** Digests of test files and runner configuration as the run began, by path. */
    frozen: z.record(z.string(), digest),
    /** The digest of the contract. */
    contract: digest,
  })
  .refine(
    ({ counts, tests, report_error }) =>
      (counts === null) === (report_error !== null) && (counts === null) === (tests === null),
    "counts and tests are there if, and only if, the report could be read",
  )
  .refine(
    ({ counts, tests }) =>
      counts === null ||
      tests === null ||
      (["passed", "failed", "skipped"] as const).every(
        (status) => counts[status] === tests[status].length,
      ),
    "each count is the number of its tests",
  )
  .refine(
    ({ frozen }) => Object.keys(frozen).length <= MAX_FROZEN,
    `at most ${MAX_FROZEN} files are frozen`,
  );

/** The details of a `test_run` event. */
export type TestRun = Readonly<z.output<typeof testRunDetails>>;
