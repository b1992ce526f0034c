import { ENVELOPE_FIELDS } from "@bylaw/log";
import type { LogEvent } from "@bylaw/kernel";
import { plain } from "../io/text.ts";

/** The header record of RFC 4180, with its line break. `several`: whether the events are of several runs. */
export const csvHead = (several: boolean): string =>
  `${[...ENVELOPE_FIELDS, "hash", ...(several ? ["run"] : [])].join(",")}\r\n`;

/** An event as a record of RFC 4180, with its line break. It has no control characters and nothing that a spreadsheet computes. */
export function csvRecord(
  { timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash }: LogEvent,
  run: string | undefined,
): string {
  const cells = [
    timestamp,
    String(sequence),
    session_id,
    event_type,
    agent_id ?? "",
    task_id ?? "",
    JSON.stringify(details),
    hash ?? "",
    ...(run === undefined ? [] : [run]),
  ];
  return `${cells.map(cell).join(",")}\r\n`;
}

// Characters with which spreadsheets begin a formula, also in East Asian full width, and after blanks or quotes.
const FORMULA = /^[\s'"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function cell(text: string): string {
  const safe = plain(text);
  const inert = FORMULA.test(text) ? `'${safe}` : safe;
  return /[",'\s]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
