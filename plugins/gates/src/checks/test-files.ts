import type { Json } from "@bylaw/kernel";
import { FILE_LIMITS } from "../file-facts.ts";
import { fits } from "../glob.ts";
import { inWorkspace } from "../workspace-path.ts";
import { foldName as foldText } from "@bylaw/log";
import { prose, quoteAll } from "@bylaw/wording";
import {
  artifactOf,
  field,
  isFindings,
  itemsOf,
  lacking,
  no,
  type CheckInput,
  type CheckJudge,
  type Finding,
} from "./check-input.ts";
import { filesProblem, pathsIn } from "./named-files.ts";
import { planOf } from "./plan.ts";

export const TEST_FILE_CHECKS = {
  tests_exist_for_acceptance_criteria: covered,
  tests_are_meaningful: (input) =>
    eachFile(input, (path, { asserts }) =>
      asserts ? undefined : `${prose(path, 200)} has no assertion that could fail`,
    ),
  test_files_follow_convention: (input) => {
    const tests = artifactOf(input.artifacts, "test_files");
    if (isFindings(tests)) return tests;
    const patterns = conventionOf(input.phase.constraints);
    const paths = pathsIn(tests, "test_files");
    if (paths.length === 0) return [lacking("The artifact names no test file")];
    if (paths.length > FILE_LIMITS.files)
      return [lacking(`The artifacts name ${paths.length} files, more than ${FILE_LIMITS.files}`)];
    return paths
      .filter((path) => !patterns.some((pattern) => fits(inWorkspace(path) ?? "", pattern)))
      .map((path) =>
        no(`${prose(path, 200)} matches none of the test file patterns ${quoteAll(patterns, 10)}`),
      );
  },
} as const satisfies Readonly<Record<string, CheckJudge>>;

// Default test file names, for phases without write patterns.
const USUAL = [
  "**/*.test.*",
  "**/*.spec.*",
  "**/*_test.*",
  "**/test_*.*",
  "**/*Test.*",
  "**/__tests__/**",
  "**/tests/**",
  "**/test/**",
];

function conventionOf(constraints: CheckInput["phase"]["constraints"]): readonly string[] {
  const patterns = constraints
    .filter(({ tool }) => tool === "write_files" || tool === "edit_files")
    .flatMap(({ allowedPatterns = [] }) => allowedPatterns);
  return patterns.length === 0 ? USUAL : [...new Set(patterns)];
}

/** Checks that an existing test file covers every criterion of the approved plan. */
export function covered(input: CheckInput): readonly Finding[] {
  const plan = planOf(input);
  if (plan === undefined)
    return [lacking("The `plan_document` artifact is missing", "Pass the gate of the plan first")];
  const tests = artifactOf(input.artifacts, "test_files");
  if (isFindings(tests)) return tests;
  const criteria = itemsOf(plan, "acceptance_criteria");
  if (criteria.length === 0)
    return [lacking("The plan names no acceptance criterion that tests could cover")];
  const problem = filesProblem(input);
  if (problem !== undefined) return [problem];
  const named = new Set(
    itemsOf(tests, "test_files")
      .filter((file) => input.facts?.files.get(pathOf(file))?.state === "file")
      .flatMap((file) => textsOf(field(file, "covers")))
      .map(foldText),
  );
  return criteria.flatMap((criterion, at) =>
    namesOf(criterion, at).some((name) => named.has(name))
      ? []
      : [
          no(
            `Acceptance criterion ${at} has no test: ${prose(textOf(criterion), 200)}`,
            "Name it under `covers` of a test file, by its text or as `AC-<number>` counted from 1",
          ),
        ],
  );
}

const textOf = (criterion: Json): string => {
  const text = typeof criterion === "string" ? criterion : field(criterion, "criterion");
  return typeof text === "string" ? text : JSON.stringify(criterion);
};

// A criterion can be named by its text, its id in the plan, or its position.
function namesOf(criterion: Json, at: number): readonly string[] {
  const ids = ["id", "criterion"]
    .map((name) => field(criterion, name))
    .filter((value) => typeof value === "string");
  const places = [`AC-${at + 1}`, `AC${at + 1}`];
  return [textOf(criterion), ...ids, ...places].map(foldText).filter((name) => name !== "");
}

const pathOf = (file: Json): string => {
  const path = typeof file === "string" ? file : field(file, "path");
  return typeof path === "string" ? path : "";
};

const textsOf = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? (value as readonly Json[]) : [value]).flatMap((item) =>
    typeof item === "string" ? [item] : typeof item === "number" ? [`AC-${item}`] : [],
  );

function eachFile(
  input: CheckInput,
  judge: (path: string, fact: { readonly asserts: boolean }) => string | undefined,
): readonly Finding[] {
  const tests = artifactOf(input.artifacts, "test_files");
  if (isFindings(tests)) return tests;
  const problem = filesProblem(input);
  if (problem !== undefined) return [problem];
  const paths = pathsIn(tests, "test_files");
  if (paths.length === 0) return [lacking("The artifact names no test file")];
  return paths.flatMap((path) => {
    const fact = input.facts?.files.get(path);
    if (fact?.state !== "file")
      return [lacking(`${prose(path, 200)} is ${fact?.state ?? "not looked at"}`)];
    const said = judge(path, fact);
    return said === undefined ? [] : [no(said)];
  });
}
