import { isJsonObject, type Json } from "@bylaw/kernel";
import { isBlank } from "@bylaw/wording";

interface RuleInput {
  readonly artifact: Json;
  /** The reviews for which the phase started agents. */
  readonly reviews: readonly string[];
}

type Rule = (input: RuleInput) => boolean;

const field = (artifact: Json, name: string): Json | undefined =>
  isJsonObject(artifact) && Object.hasOwn(artifact, name) ? artifact[name] : undefined;

const filled = (value: Json | undefined): boolean =>
  typeof value === "string"
    ? !isBlank(value)
    : Array.isArray(value)
      ? value.length > 0
      : isJsonObject(value ?? null) && Object.keys(value as object).length > 0;

const has =
  (name: string): Rule =>
  ({ artifact }) =>
    filled(field(artifact, name));

const count = (artifact: Json, name: string): number => {
  const value = field(artifact, name);
  return typeof value === "number" ? value : Number.NaN;
};

const isEmptyList = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length === 0;

/**
 * The rules of `validation` that the artifact alone can prove. Gates judge the rules about anything else: files, observed runs, the
 * plan of an earlier phase.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  has_acceptance_criteria: has("acceptance_criteria"),
  has_implementation_steps: has("implementation_steps"),
  has_in_scope: has("in_scope"),
  has_out_of_scope: has("out_of_scope"),
  has_summary: has("summary"),
  has_files_changed: has("files_changed"),
  tests_exist: has("test_files"),
  implementation_exists: has("files_changed"),
  tests_were_run: ({ artifact }) =>
    filled(field(artifact, "command")) && Number.isInteger(count(artifact, "exit_code")),
  tests_failed: ({ artifact }) =>
    count(artifact, "exit_code") !== 0 && count(artifact, "failed") >= 1,
  tests_passed: ({ artifact }) =>
    count(artifact, "exit_code") === 0 &&
    count(artifact, "failed") === 0 &&
    count(artifact, "passed") >= 1,
  no_blocking_issues: ({ artifact }) => isEmptyList(field(artifact, "blocking_issues")),
  all_reviews_completed: ({ artifact, reviews }) =>
    reviews.every((review) => filled(field(field(artifact, "reviews") ?? null, review))),
};
