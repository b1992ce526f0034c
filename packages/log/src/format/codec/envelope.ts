import { isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { isLink } from "./hash-text.ts";

/** The fields of an event, in the order of its line. `hash` follows if the log is chained. */
export const ENVELOPE_FIELDS = [
  "timestamp",
  "sequence",
  "session_id",
  "event_type",
  "agent_id",
  "task_id",
  "details",
] as const;

export interface EnvelopeProblem {
  readonly rule: "MISSING_FIELD" | "INVALID_FIELD" | "UNKNOWN_FIELD" | "FIELD_ORDER";
  readonly message: string;
}

type Field = (typeof ENVELOPE_FIELDS)[number] | "hash";

const TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const isName = (value: Json): boolean => value === null || typeof value === "string";

const FITS: Readonly<Record<Field, (value: Json) => boolean>> = {
  timestamp: (value) => typeof value === "string" && TIME.test(value),
  sequence: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  session_id: (value) => typeof value === "string" && UUID.test(value),
  event_type: (value) => typeof value === "string" && value !== "",
  agent_id: isName,
  task_id: isName,
  details: isJsonObject,
  hash: (value) => typeof value === "string" && isLink(value),
};

const WANTED: Readonly<Record<Field, string>> = {
  timestamp: "an RFC 3339 time with its zone",
  sequence: "a whole number from 1",
  session_id: "a UUID",
  event_type: "the name of a type",
  agent_id: "text or null",
  task_id: "text or null",
  details: "an object",
  hash: "`sha256:` and 64 hexadecimal digits",
};

/** Whether a record has this field with a valid value. */
export const fieldFits = (record: JsonObject, field: Field): boolean =>
  Object.hasOwn(record, field) && FITS[field](record[field] ?? null);

/** The time of a record in milliseconds since 1970. `undefined` if it is not an RFC 3339 time. */
export const eventTime = ({ timestamp }: { readonly timestamp?: unknown }): number | undefined =>
  typeof timestamp === "string" && TIME.test(timestamp) ? Date.parse(timestamp) : undefined;

/** Whether a record is a complete event: the seven fields in order, optionally a hash, and nothing else. */
export function isEvent(record: JsonObject): record is JsonObject & LogEvent {
  let index = 0;
  for (const key of Object.keys(record)) {
    const field = index === ENVELOPE_FIELDS.length ? "hash" : ENVELOPE_FIELDS[index];
    if (key !== field || !FITS[field](record[key] ?? null)) return false;
    index += 1;
  }
  return index >= ENVELOPE_FIELDS.length;
}

/** All problems of a record's envelope, at most one per rule. */
export function envelopeProblems(record: JsonObject): readonly EnvelopeProblem[] {
  if (isEvent(record)) return [];
  const problems: EnvelopeProblem[] = [];
  const keys = Object.keys(record);
  const known = [...ENVELOPE_FIELDS, "hash"] as const;
  const missing = ENVELOPE_FIELDS.filter((field) => !Object.hasOwn(record, field));
  if (missing.length > 0) {
    const message = `The event has no ${missing.map(quote).join(", ")}.`;
    problems.push({ rule: "MISSING_FIELD", message });
  }
  const wrong = known.filter((field) => Object.hasOwn(record, field) && !fieldFits(record, field));
  if (wrong.length > 0) {
    const message = wrong
      .map(
        (field) =>
          `\`${field}\` is ${quote(JSON.stringify(record[field]))}, but must be ${WANTED[field]}`,
      )
      .join("; ");
    problems.push({ rule: "INVALID_FIELD", message });
  }
  // An unknown field is often a misspelt one that is missing.
  if (missing.length > 0) return problems;
  const unknown = keys.filter((key) => !(known as readonly string[]).includes(key));
  if (unknown.length > 0) {
    const message = `Unknown field ${unknown.slice(0, 5).map(quote).join(", ")}: an event has only ${known.join(", ")}.`;
    problems.push({ rule: "UNKNOWN_FIELD", message });
  }
  const ordered = known.filter((field) => Object.hasOwn(record, field));
  const stand = keys.filter((key) => (known as readonly string[]).includes(key));
  if (stand.join() !== ordered.join()) {
    problems.push({
      rule: "FIELD_ORDER",
      message: `The fields are in the order ${stand.join(", ")}, but must be ${ordered.join(", ")}.`,
    });
  }
  return problems;
}
