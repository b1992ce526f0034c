import type { Json, JsonObject } from "@bylaw/kernel";
import { isBlank, prose } from "@bylaw/wording";
import {
  artifactOf,
  field,
  hasContent,
  isFindings,
  itemsOf,
  no,
  type CheckInput,
  type CheckJudge,
} from "./check-input.ts";

export const PLAN_CHECKS = {
  plan_has_acceptance_criteria: ({ artifacts }) => {
    const plan = artifactOf(artifacts, "plan_document");
    if (isFindings(plan)) return plan;
    const criteria = itemsOf(plan, "acceptance_criteria");
    if (criteria.length === 0) return [no("The plan has no acceptance criterion")];
    return criteria.flatMap((criterion, at) =>
      ["criterion", "how_to_verify"].flatMap((name) =>
        saysText(field(criterion, name))
          ? []
          : [no(`Acceptance criterion ${at} has no \`${name}\``)],
      ),
    );
  },
  scope_is_bounded: ({ artifacts }) => {
    const scope = artifactOf(artifacts, "scope_definition");
    if (isFindings(scope)) return scope;
    return ["in_scope", "out_of_scope", "constraints"].flatMap((name) => {
      const items = itemsOf(scope, name);
      return items.length > 0 && items.every(hasContent)
        ? []
        : [no(`The scope has no \`${name}\``)];
    });
  },
  no_open_questions: ({ artifacts }) => {
    const plan = artifactOf(artifacts, "plan_document");
    if (isFindings(plan)) return plan;
    const questions = field(plan, "open_questions");
    if (!hasContent(questions)) return [];
    const open = Array.isArray(questions) ? (questions as readonly Json[]) : [questions ?? null];
    return [no(`${open.length} question(s) are open: ${open.map(wordsOf).join("; ")}`)];
  },
} as const satisfies Readonly<Record<string, CheckJudge>>;

const saysText = (value: Json | undefined): boolean => typeof value === "string" && !isBlank(value);

/**
 * The plan that passed its gate, or else the one submitted now. A new plan cannot replace an
 * approved one.
 */
export const planOf = (
  { approved, artifacts }: Pick<CheckInput, "approved" | "artifacts">,
  type = "plan_document",
): JsonObject | undefined => {
  const plan = artifactOf(Object.hasOwn(approved, type) ? approved : artifacts, type);
  return isFindings(plan) ? undefined : plan;
};

/** The text of an issue, a question or a comment, on one line. */
export function wordsOf(item: Json): string {
  if (typeof item === "string") return prose(item, 200);
  for (const name of [
    "description",
    "issue",
    "title",
    "message",
    "text",
    "comment",
    "question",
    "summary",
  ]) {
    const text = field(item, name);
    if (typeof text === "string" && !isBlank(text)) return prose(text, 200);
  }
  return prose(JSON.stringify(item), 200);
}
