/**
 * How much of a rule cannot be judged by the artifact alone. Rules without an entry can be judged
 * whole.
 */
const SEEN_ELSEWHERE: Readonly<Record<string, "in part" | "all">> = {
  tests_exist: "in part",
  tests_cover_acceptance_criteria: "all",
  tests_were_run: "in part",
  tests_failed: "in part",
  implementation_exists: "in part",
  matches_plan: "all",
  tests_passed: "in part",
  all_reviews_completed: "in part",
  no_blocking_issues: "in part",
};

/** The plugins that judge a rule of `validation`. */
export const judgesOfRule = (rule: string): readonly string[] =>
  ({ none: ["artifacts"], "in part": ["artifacts", "gates"], all: ["gates"] })[
    Object.hasOwn(SEEN_ELSEWHERE, rule) ? (SEEN_ELSEWHERE[rule] ?? "none") : "none"
  ];
