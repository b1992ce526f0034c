/** What an artifact does not show of a rule; without an entry the artifact shows all of it. */
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

/** The parts of Bylaw that judge a rule of `validation`. */
export const judgesOfRule = (rule: string): readonly string[] =>
  ({ none: ["artifacts"], "in part": ["artifacts", "gates"], all: ["gates"] })[
    Object.hasOwn(SEEN_ELSEWHERE, rule) ? (SEEN_ELSEWHERE[rule] ?? "none") : "none"
  ];
