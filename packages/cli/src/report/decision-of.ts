import { isJsonObject, type LogEvent } from "@bylaw/kernel";

/** The name of the rule that decided, or in parentheses the code of a decision without one. */
export function decidedBy({ details: { decision } }: LogEvent): string {
  if (!isJsonObject(decision)) return "(unknown)";
  const { rule, code } = decision;
  if (isJsonObject(rule ?? null)) return String((rule as { readonly name?: unknown }).name);
  return `(${String(code)})`;
}
