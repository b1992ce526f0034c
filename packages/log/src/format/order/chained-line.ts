import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { follows, linkOf } from "../chain.ts";

/** What the links of a chain are computed from: an event on its line. */
export interface ChainedLine {
  readonly record: JsonObject;
  /** The line that the record was read from. */
  readonly text: string;
  /** Whether the record is an event in full: the fields in their order, and nothing else. */
  readonly whole: boolean;
}

/** Whether the hash of a line is the link that follows another. A line that readers could read differently follows none. */
export const isFollowing = ({ record, text }: ChainedLine, previous: string): boolean =>
  !roundsNumbers(text) && follows(previous, record as unknown as LogEvent);

/** The link that a line should have after another. */
export const linkAfter = ({ record }: ChainedLine, previous: string): string =>
  linkOf(previous, record["sequence"] as number, record as unknown as LogEvent);

// The link is over the number as this reader reads it, and another reader may not round it.
function roundsNumbers(text: string): boolean {
  if (!/[\d.]{16}/.test(text)) return false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (token.startsWith('"') || Math.abs(Number(token)) < Number.MAX_SAFE_INTEGER) continue;
    if (digitsOf(String(Number(token))) !== digitsOf(token)) return true;
  }
  return false;
}

// The digits of a number without its size: 100, 1e2 and 1.0e+2 are all 1.
const digitsOf = (token: string): string =>
  token.replace(/[eE].*$|[-.]/g, "").replace(/^0+|0+$/g, "");
