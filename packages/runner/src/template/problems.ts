import type { Json } from "@bylaw/kernel";
import { describeIssues, didYouMean, keysAt, quote, salvage, type KeySchema } from "@bylaw/wording";
import { z } from "zod";
import type { Source } from "./source.ts";
import type { TemplateFinding } from "./template.ts";

/** A problem and the path of the data that it is about. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly fix?: string;
  readonly code?: string;
  readonly severity?: "warning";
}

/** The valid part of data, and its problems. */
export interface Read<T> {
  /** `undefined` if too little is valid. */
  readonly data: T | undefined;
  readonly problems: readonly Problem[];
  /** Whether a problem at this path only follows from a reported one. */
  readonly isFollowOn: (path: Problem["path"]) => boolean;
}

/** Reads as much of the data as is valid, so that further checks can report more problems. */
export function salvaged<T>(schema: z.ZodType<T>, value: Json): Read<T> {
  let keys: KeySchema | undefined;
  const known = (path: readonly PropertyKey[]): readonly string[] =>
    keysAt((keys ??= z.toJSONSchema(schema, IN) as KeySchema), path);
  const { data, issues, isReplaced } = salvage(schema, value, known);
  return {
    data,
    problems: issues.flatMap((issue) => problemsOf(issue, known)),
    isFollowOn: (path) =>
      isReplaced(path) ||
      (path.length === 2 && WHO.slice(0, 2).some((key) => isReplaced([...path, key]))) ||
      (WHO.includes(String(path[2])) && isReplaced(["agents"])),
  };
}

const IN = { io: "input", unrepresentable: "any" } as const;
// Without a valid `agent` or `run`, a step runs nothing; without valid agents, no name can be checked.
const WHO = ["agent", "run", "fallback", "trigger"];

/** The problems of one schema issue. */
function problemsOf(
  issue: z.core.$ZodIssue,
  known: (path: readonly PropertyKey[]) => readonly string[],
): readonly Problem[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `Unknown key ${quote(key)}`,
      ...near(key, known(issue.path)),
    }));
  return [{ path: issue.path, message: describeIssues({ issues: [issue] }, "the template") }];
}

/** Suggests the known word nearest to a misspelt one, as a fix. */
export function near(word: string, known: readonly string[]): { readonly fix?: string } {
  const fix = didYouMean(word, known);
  return fix === undefined ? {} : { fix };
}

/** Converts a problem to a finding with its place in the file. */
export function findingOf(
  file: string,
  { place }: Pick<Source, "place">,
  { path, message, fix, severity: given }: Problem,
): TemplateFinding {
  const severity = given ?? "error";
  return {
    file,
    ...place(path),
    code: severity === "error" ? "BYLAW_TEMPLATE_INVALID" : "BYLAW_TEMPLATE_NO_EFFECT",
    severity,
    message,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Sorts findings by their place in the file. */
export const byPlace = (left: TemplateFinding, right: TemplateFinding): number =>
  (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);
