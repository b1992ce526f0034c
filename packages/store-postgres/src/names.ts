import { createHash } from "node:crypto";

// PostgreSQL text cannot hold NUL, so NUL is escaped with U+0001, and so is U+0001 itself. Different texts stay different.
const UNFIT = /[\0\u0001]/g;
const MARKED = /\u0001([01])/g;

/** The escaped text for the database. Most texts stay as they are. */
export const toStored = (text: string): string =>
  text.replace(UNFIT, (sign) => (sign === "\0" ? "\u00010" : "\u00011"));

export const fromStored = (text: string): string =>
  text.includes("\u0001")
    ? text.replace(MARKED, (_, digit: string) => (digit === "0" ? "\0" : "\u0001"))
    : text;

/** Bytes. An index entry with two names must fit a third of an 8 KiB page. */
const MAX_BYTES = 1_000;
const DIGEST = "\u0001:";

/** The key of a name in the database: the name itself, or its digest if it is too long for an index. */
export function keyOf(name: string): string {
  const stored = toStored(name);
  // A UTF-16 unit takes at most three bytes.
  if (stored.length * 3 <= MAX_BYTES || Buffer.byteLength(stored) <= MAX_BYTES) return stored;
  return DIGEST + createHash("sha256").update(stored).digest("hex");
}

/** Whether a key is a digest instead of a name. */
export const isDigest = (key: string): boolean => key.startsWith(DIGEST);
