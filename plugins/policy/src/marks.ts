import { createHash } from "node:crypto";
import { defineProjection, type Projection } from "@bylaw/kernel";
import { MARKS_PROJECTION, type PoolMarks } from "@bylaw/policy-language";

const DIGITS = 12;

/** A digest of definitions, short because every event of a call holds it. */
export const shortDigest = (definitions: string): string =>
  createHash("sha256").update(definitions).digest("hex").slice(0, DIGITS);

/** The marks of a pool as a projection. Its version is the digest of the definitions, so that no older state is read. */
export const marksOf = ({ digest, initial, reduce }: PoolMarks): Projection<unknown> =>
  defineProjection({
    name: MARKS_PROJECTION,
    version: Number.parseInt(digest, 16),
    initial,
    reduce,
  }) as Projection<unknown>;
