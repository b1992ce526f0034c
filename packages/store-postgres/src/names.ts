import { createHash } from "node:crypto";

// PostgreSQL cannot hold NUL in text: it and the sign that announces it are written another way, so that two texts stay two.
const UNFIT = /[\0\u0001]/g;
const MARKED = /\u0001([01])/g;

/** The text as the database holds it. Most texts are themselves. */
export const toStored = (text: string): string =>
  text.replace(UNFIT, (sign) => (sign === "\0" ? "\u00010" : "\u00011"));

export const fromStored = (text: string): string =>
  text.includes("\u0001")
    ? text.replace(MARKED, (_, digit: string) => (digit === "0" ? "\0" : "\u0001"))
    : text;

/** What an index holds of two names must fit a third of a page of 8 KiB. */
const LONGEST = 1_000;
const DIGEST = "\u0001:";

/** The key that a name has in the database: itself, or its digest where it is too long for an index. */
export function keyOf(name: string): string {
  const stored = toStored(name);
  // No UTF-16 unit takes more than three bytes.
  if (stored.length * 3 <= LONGEST || Buffer.byteLength(stored) <= LONGEST) return stored;
  return DIGEST + createHash("sha256").update(stored).digest("hex");
}

/** Whether a key does not say its name. */
export const isDigest = (key: string): boolean => key.startsWith(DIGEST);
