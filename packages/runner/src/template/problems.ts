import { describeIssues, didYouMean } from "@bylaw/wording";
import type { z } from "zod";
import type { Problem } from "./dialects.ts";
import type { Source } from "./source.ts";
import type { TemplateFinding } from "./template.ts";

/** The problems that an issue of the schema stands for. */
export function problemsOf(issue: z.core.$ZodIssue): readonly Problem[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `Unknown key \`${key}\``,
      ...near(key, KEYS),
    }));
  return [{ path: issue.path, message: describeIssues({ issues: [issue] }, "the template") }];
}

const KEYS = [
  "bylaw",
  "name",
  "description",
  "agents",
  "modules",
  "steps",
  "overrides",
  "oversight",
  "agent",
  "run",
  "prompt",
  "timeout_seconds",
]
  .concat([
    "retries",
    "once",
    "repeatable",
    "interrupted",
    "when",
    "skip_if",
    "depends_on",
    "fallback",
    "parallel",
    "loop",
    "trigger",
    "kind",
  ])
  .concat([
    "continue_on_error",
    "output",
    "env",
    "command",
    "function",
    "max_iterations",
    "skip",
    "on_limit",
    "module",
    "url",
    "hold_at",
  ])
  .concat([
    "compat",
    "tracks",
    "choices",
    "choices_any",
    "stall",
    "question",
    "options",
    "default",
    "multiple",
    "after",
    "label",
  ]);

/** The known word that was probably meant, as a fix. */
export function near(word: string, known: readonly string[]): { readonly fix?: string } {
  const fix = didYouMean(word, known);
  return fix === undefined ? {} : { fix };
}

/** A problem as a finding, with its place in the file. */
export function findingOf(
  file: string,
  { place }: Source,
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

/** Orders findings as they stand in the file. */
export const byPlace = (left: TemplateFinding, right: TemplateFinding): number =>
  (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);
