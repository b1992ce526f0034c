import { isJsonObject, type Json } from "@bylaw/kernel";

/** The facts about a step that a condition can use. */
export interface StepFacts {
  readonly success: boolean;
  readonly skipped: boolean;
  readonly exit_code: number | null;
  readonly output: Json;
}

interface Clause {
  readonly step: string;
  readonly field: "success" | "skipped" | "exit_code" | "output";
  readonly path: readonly string[];
  readonly not: boolean;
  readonly value: Json;
}

/** A parsed condition: all of its clauses must hold, or one of them. */
export interface Condition {
  readonly join: "&&" | "||";
  readonly clauses: readonly Clause[];
}

const CLAUSE =
  /^\s*([A-Za-z0-9][A-Za-z0-9_-]*)\.(success|skipped|exit_code|output)((?:\.[A-Za-z0-9_-]+)*)\s*(==|!=)\s*(.+?)\s*$/;

/**
 * Parses conditions such as `STEP.success == true`, joined by `&&` or by `||`. Returns the problem
 * as text if it cannot.
 */
export function readCondition(text: string): Condition | string {
  const pieces = split(text);
  if (typeof pieces === "string") return pieces;
  const clauses: Clause[] = [];
  for (const piece of pieces.clauses) {
    const [, step, field, path = "", operator, literal = ""] = CLAUSE.exec(piece) ?? [];
    if (step === undefined)
      return `The condition \`${piece.trim()}\` must read \`STEP.success == true\`, or use skipped, exit_code or output.KEY with == or !=`;
    const value = valueOf(literal);
    if (value === undefined)
      return `The value \`${literal}\` must be true, false, null, a number or text in quotes`;
    if (path !== "" && field !== "output")
      return `Nothing may follow \`${field}\`: \`${field}${path}\``;
    clauses.push({
      step,
      field: field as Clause["field"],
      path: path.split(".").slice(1),
      not: operator === "!=",
      value,
    });
  }
  return { join: pieces.join, clauses };
}

// Splits at joins, except inside quotes.
function split(
  text: string,
): { readonly join: "&&" | "||"; readonly clauses: readonly string[] } | string {
  const parts = text.match(/'[^']*'|"[^"]*"|&&|\|\||[^'"&|]+|[^]/g) ?? [];
  const joins = new Set(parts.filter((part) => part === "&&" || part === "||"));
  if (joins.size > 1) return "`&&` and `||` cannot be mixed in one condition; use a second step";
  const clauses: string[] = [""];
  for (const part of parts) {
    if (part === "&&" || part === "||") clauses.push("");
    else clauses[clauses.length - 1] += part;
  }
  return { join: joins.has("||") ? "||" : "&&", clauses };
}

function valueOf(literal: string): Json | undefined {
  if (literal === "true" || literal === "false") return literal === "true";
  if (literal === "null") return null;
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(literal)) return Number(literal);
  const [, single, double] = /^(?:'([^']*)'|"([^"]*)")$/.exec(literal) ?? [];
  return single ?? double;
}

/** Whether a condition holds. A step that did not run counts as skipped and not successful. Pure. */
export function holds({ join, clauses }: Condition, factsOf: (step: string) => StepFacts): boolean {
  const one = ({ step, field, path, not, value }: Clause): boolean => {
    const facts = factsOf(step);
    let found: Json | undefined = facts[field];
    for (const key of path)
      found =
        found !== undefined && isJsonObject(found) && Object.hasOwn(found, key)
          ? found[key]
          : undefined;
    return ((found ?? null) === value) !== not;
  };
  return join === "&&" ? clauses.every(one) : clauses.some(one);
}
