import { isJsonObject, type EventType, type Json, type JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import type { z } from "zod";

const DIGEST = /^(?:hmac-)?sha256:[0-9a-f]{64}$/;
/** Of a crowd of mistakes the first are enough. */
const TOLD = 5;

type Issue = z.core.$ZodIssue;

/**
 * What is wrong with the details of a type, in one line; nothing where they fit. A redactor adds the list `redacted` and puts
 * `{"redacted": "sha256:…"}` in the place of what it takes out: neither is wrong.
 */
export function detailsProblem(type: EventType, details: JsonObject): string | undefined {
  const whole = type.details.safeParse(details);
  if (whole.success) return undefined;
  const { redacted, ...rest } = details;
  if (!Array.isArray(redacted)) return problemOf(type.name, whole.error.issues, details);
  const parsed = type.details.safeParse(rest);
  if (parsed.success) return undefined;
  const issues = parsed.error.issues.filter(({ path }) => !isRedacted(valueAt(rest, path)));
  return issues.length === 0 ? undefined : problemOf(type.name, issues, rest);
}

/** What a schema has against details, in one line. Of a value it says what it is, never what stands in it: it may be a secret. */
export function problemOf(type: string, issues: readonly Issue[], details: Json): string {
  const told = issues.slice(0, TOLD).map((issue) => issueText(type, issue, details));
  return told.join("; ") + (issues.length > TOLD ? `; and ${issues.length - TOLD} more` : "");
}

function issueText(type: string, issue: Issue, details: Json): string {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    return `Unexpected ${issue.keys.slice(0, TOLD).map(quote).join(", ")} in ${placeOf(type, path)}, expected only what the type has`;
  }
  if (issue.code === "invalid_union") {
    // The way that goes deepest is the one that was meant.
    const [near] = [...issue.errors].sort((one, other) => depth(other) - depth(one));
    const [inner] = near ?? [];
    if (inner !== undefined) return issueText(type, { ...inner, path: [...path, ...inner.path] } as Issue, details);
  }
  const wanted = wantedBy(issue);
  const value = valueAt(details, path);
  if (value !== undefined) return `Unexpected ${kindOf(value)} as ${placeOf(type, path)}, expected ${wanted}`;
  return `Unexpected ${placeOf(type, path.slice(0, -1))} without ${quote(String(path.at(-1) ?? ""))}, expected ${wanted}`;
}

function wantedBy(issue: Issue): string {
  if (issue.code === "invalid_value") return issue.values.map((value) => quote(String(value))).join(", ");
  const [, expected] = /expected (.*?)(?:, received .*)?$/.exec(issue.message) ?? [];
  return expected?.replace(/^string\b/, "text") ?? `one that is valid (${issue.message})`;
}

function placeOf(type: string, path: readonly PropertyKey[]): string {
  const whole = `details of ${quote(type)}`;
  return path.length === 0 ? whole : `${quote(path.map(String).join("."))} in ${whole}`;
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return { string: "text", number: "number", boolean: "boolean" }[typeof value as string] ?? "object";
}

const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));

function valueAt(details: Json, path: readonly PropertyKey[]): Json | undefined {
  let value: Json | undefined = details;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<PropertyKey, Json>>)[key];
  }
  return value;
}

function isRedacted(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { redacted, ...others } = value;
  return typeof redacted === "string" && DIGEST.test(redacted) && Object.keys(others).length === 0;
}
