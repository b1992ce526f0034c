import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { follows, linkOf } from "../chain.ts";

/** An event on its line: what a link of the chain is computed from. */
export interface ChainedLine {
  readonly record: JsonObject;
  /** The line that the record was parsed from. */
  readonly text: string;
  /** Whether the record is a complete event: the fields in order, and nothing else. */
  readonly whole: boolean;
}

/** Whether the hash of a line is the link that follows `previous`. False for a line that two parsers could read differently. */
export const isFollowing = ({ record, text }: ChainedLine, previous: string): boolean =>
  !roundsNumbers(text) && follows(previous, record as unknown as LogEvent);

/** The link that a line must have after `previous`. */
export const linkAfter = ({ record }: ChainedLine, previous: string): string =>
  linkOf(previous, record["sequence"] as number, record as unknown as LogEvent);

// The link covers the number as this parser reads it. Another parser may not round it.
function roundsNumbers(text: string): boolean {
  if (!/[\d.]{16}/.test(text)) return false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (token.startsWith('"') || Math.abs(Number(token)) < Number.MAX_SAFE_INTEGER) continue;
    if (digitsOf(String(Number(token))) !== digitsOf(token)) return true;
  }
  return false;
}

// The significant digits of a number: 100, 1e2 and 1.0e+2 all give 1.
const digitsOf = (token: string): string =>
  token.replace(/[eE].*$|[-.]/g, "").replace(/^0+|0+$/g, "");
