import { createHash } from "node:crypto";
import { defineProjection, type EventDraft, type Projection } from "@bylaw/kernel";
import { MARK_CLEARED, MARKS_PROJECTION, type PoolMarks } from "@bylaw/policy-language";
import { didYouMean, quote } from "@bylaw/wording";

const DIGITS = 12;

/** A digest of definitions. It is short because every event of a call contains it. */
export const shortDigest = (definitions: string): string =>
  createHash("sha256").update(definitions).digest("hex").slice(0, DIGITS);

/** The marks of a pool as a projection. Its version is the digest of the definitions, so that no older state is reused. */
export const marksOf = ({ digest, initial, reduce }: PoolMarks): Projection<unknown> =>
  defineProjection({
    name: MARKS_PROJECTION,
    version: Number.parseInt(digest, 16),
    initial,
    reduce,
  }) as Projection<unknown>;

/** The finding for an event that clears a mark which no policy defines. */
export function unknownMark(
  { event_type, details: { mark } }: EventDraft,
  names: PoolMarks["names"] = new Set(),
): { readonly rule: string; readonly message: string } | undefined {
  if (event_type !== MARK_CLEARED || names.has(String(mark))) return undefined;
  const near = didYouMean(String(mark), [...names]);
  const message = `No policy defines the mark ${quote(String(mark))}`;
  return { rule: "MARK_UNKNOWN", message: near === undefined ? message : `${message}. ${near}` };
}
