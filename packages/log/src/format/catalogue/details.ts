import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import type { EventType } from "../../state/declared.ts";
import type { z } from "zod";

const DIGEST = /^(?:hmac-)?sha256:[0-9a-f]{64}$/;

type Issue = z.core.$ZodIssue;

/**
 * Describes what is wrong with the details of an event, in one line. `undefined` if they fit their type. The list `redacted`, and
 * `{"redacted": "sha256:…"}` in place of a value, come from redactors and always fit.
 */
export function detailsProblem(type: EventType, details: JsonObject): string | undefined {
  const whole = type.details.safeParse(details);
  if (whole.success) return undefined;
  const { redacted, ...rest } = details;
  if (!Array.isArray(redacted)) return problemOf(type.name, whole.error.issues);
  const parsed = type.details.safeParse(rest);
  if (parsed.success) return undefined;
  const issues = parsed.error.issues.filter(({ path }) => !isRedacted(valueAt(rest, path)));
  return issues.length === 0 ? undefined : problemOf(type.name, issues);
}

/** Describes the schema issues of an event's details, in one line. Never repeats a value, because it may be a secret. */
export const problemOf = (type: string, issues: readonly Issue[]): string =>
  `\`${type}\`: ${describeIssues({ issues }, "its details")}`;

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
