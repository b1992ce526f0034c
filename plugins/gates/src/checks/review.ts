import type { Json } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import { prose, quoteAll } from "@bylaw/wording";
import {
  artifactOf,
  field,
  hasContent,
  isFindings,
  itemsOf,
  lacking,
  no,
  type CheckInput,
  type CheckJudge,
  type Finding,
} from "./check-input.ts";
import { wordsOf } from "./plan.ts";

/** Review checks. They compare the artifact with what the reviewers themselves reported. */
export const REVIEW_CHECKS = {
  no_blocking_issues: noBlockingIssues,
  all_review_models_completed: (input) => reviewsAreThere(input, input.check.requiredReviews ?? []),
  review_comments_addressed: ({ artifacts }) => {
    const report = artifactOf(artifacts, "review_report");
    if (isFindings(report)) return report;
    const reviews = field(report, "reviews");
    const each = typeof reviews === "object" && reviews !== null ? Object.values(reviews) : [];
    const comments = [report, ...each].flatMap((one) =>
      ["comments", "issues", "consolidated_issues"].flatMap((name) => itemsOf(one, name)),
    );
    const open = comments.filter((comment) => !answered(comment));
    return open.length === 0
      ? []
      : [
          no(
            `${open.length} review comment(s) have no answer: ${open.slice(0, 10).map(wordsOf).join("; ")}`,
          ),
        ];
  },
} as const satisfies Readonly<Record<string, CheckJudge>>;

const ANSWERS: ReadonlySet<string> = new Set([
  "addressed",
  "answered",
  "resolved",
  "fixed",
  "done",
  "closed",
  "wontfix",
  "won't fix",
]);

const answered = (comment: Json): boolean =>
  ["addressed", "resolved"].some((name) => field(comment, name) === true) ||
  ["response", "resolution", "answer"].some((name) => hasContent(field(comment, name))) ||
  ANSWERS.has(String(field(comment, "status") ?? "").toLowerCase());

/** Passes if neither the artifact nor any reviewer reports a blocking issue. */
export function noBlockingIssues(input: CheckInput): readonly Finding[] {
  // Any reviewer can reject.
  const said = input.reviewers.flatMap(({ model, report }) => {
    const issues = (report?.blocking_issues ?? []).map(wordsOf);
    return issues.length === 0 && report?.verdict === "rejected"
      ? [`rejected by ${prose(model ?? report.agent ?? "a reviewer", 200)}`]
      : issues;
  });
  const report = artifactOf(input.artifacts, "review_report");
  const listedIssues = isFindings(report) ? undefined : field(report, "blocking_issues");
  const own = Array.isArray(listedIssues) ? (listedIssues as readonly Json[]).map(wordsOf) : [];
  const all = [...new Set([...own, ...said])];
  const shape = isFindings(report)
    ? report
    : Array.isArray(listedIssues)
      ? []
      : [
          lacking(
            "The `review_report` artifact has no list `blocking_issues`",
            "Hand in an empty list if there are none",
          ),
        ];
  return all.length === 0
    ? shape
    : [...shape, no(`Found ${all.length} blocking issue(s): ${all.slice(0, 20).join("; ")}`)];
}

/**
 * Every named review must be in the artifact. If the phase starts reviewers, an agent that did not
 * do the work must have reported it.
 */
export function reviewsAreThere(input: CheckInput, wanted: readonly string[]): readonly Finding[] {
  const report = artifactOf(input.artifacts, "review_report");
  const reviews = isFindings(report) ? undefined : field(report, "reviews");
  const absent = wanted.filter((name) => !hasContent(field(reviews, name)));
  const found = isFindings(report)
    ? report
    : absent.length === 0
      ? []
      : [lacking(`The report lacks these reviews: ${quoteAll(absent, 5)}`)];
  const started = input.phase.spawns.flatMap(({ models }) => models);
  const silent = wanted.filter(
    (name) =>
      started.includes(name) &&
      !heardOf(input).some(({ model, report: said }) => model === name && said?.ok === true),
  );
  if (silent.length === 0) return found;
  return [
    ...found,
    lacking(
      `No independent reviewer has reported for ${quoteAll(silent, 5)}`,
      "Start the reviewers and record what each of them reports",
    ),
  ];
}

// A reviewer must have a name and must not have worked on the task.
const heardOf = ({ reviewers, worked }: CheckInput): CheckInput["reviewers"] =>
  reviewers.filter(
    ({ report }) =>
      report !== null &&
      report.agent !== null &&
      foldName(report.agent) !== "" &&
      !worked(report.agent),
  );
