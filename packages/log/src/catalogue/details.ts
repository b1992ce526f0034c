import { isJsonObject, issuesOf, type EventType, type Json, type JsonObject } from "@bylaw/kernel";
import { z } from "zod";

const DIGEST = /^(?:hmac-)?sha256:[0-9a-f]{64}$/;

/**
 * What is wrong with the details of a type, in one line; nothing where they fit. A redactor adds the list `redacted` and puts
 * `{"redacted": "sha256:…"}` in the place of what it takes out: neither is wrong.
 */
export function detailsProblem({ details: schema }: EventType, details: JsonObject): string | undefined {
  const whole = schema.safeParse(details);
  if (whole.success) return undefined;
  const { redacted, ...rest } = details;
  if (!Array.isArray(redacted)) return issuesOf(whole.error);
  const parsed = schema.safeParse(rest);
  if (parsed.success) return undefined;
  const issues = parsed.error.issues.filter(({ path }) => !isRedacted(valueAt(rest, path)));
  return issues.length === 0 ? undefined : issuesOf(new z.ZodError(issues));
}

function valueAt(details: JsonObject, path: readonly PropertyKey[]): Json | undefined {
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
