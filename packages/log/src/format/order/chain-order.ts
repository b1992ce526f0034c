import type { JsonObject } from "@bylaw/kernel";
import { NO_LINK } from "../chain.ts";
import { ENVELOPE_FIELDS, fieldFits } from "../codec/envelope.ts";
import { linkAtEnd } from "../codec/hash-text.ts";
import { isFollowing, linkAfter, type ChainedLine } from "./chained-line.ts";
import type { Violation } from "./rules.ts";

const NONE: readonly string[] = [];

/**
 * Checks the hash of each line against the lines before it, and reports each change once. After a bad line, the next one may follow the bad
 * line's own link, the link it should have had (if its hash was changed), or the link before it (if it was inserted). Only a line that
 * follows none of these is reported. This lets an attacker do no more than append lines after one that is reported.
 */
export class ChainOrder {
  readonly #required: boolean;
  #link: string | undefined;
  /** Other links that the next line may follow, because an earlier line was reported. */
  #others: readonly string[] = [];
  /** Whether the line before was reported and left no link to check the next one against. */
  #unsure = false;
  #chained = false;
  /** The number of events without a hash. */
  #bare = 0;

  /** `required`: every event must have a hash. */
  constructor({ required }: { readonly required: boolean }) {
    this.#required = required;
  }

  /** The link of the last line, if the log is chained. */
  get head(): string | undefined {
    return this.#link;
  }

  /** Whether the link that the next event must follow is known. */
  get sure(): boolean {
    return this.#link !== undefined && !this.#unsure;
  }

  /** Checks an event, complete or not. */
  next(line: ChainedLine): Violation | undefined {
    const { record, whole } = line;
    if (!Object.hasOwn(record, "hash")) {
      if (!this.#chained && !this.#required) {
        this.#bare += 1;
        return undefined;
      }
      this.#skip(line);
      return missing("This event of a chained log has no hash");
    }
    if (!whole && !fieldFits(record, "hash")) {
      // The envelope check reports an invalid hash.
      this.#skip(line);
      return undefined;
    }
    const stored = record["hash"] as string;
    return this.#chained ? this.#follow(line, stored) : this.#begin(line, stored);
  }

  /** Checks the line that connects a file to the one before. `first`: nothing of the log before it is known. */
  anchor(record: JsonObject, { first }: { readonly first: boolean }): Violation | undefined {
    const stored = fieldFits(record, "hash") ? (record["hash"] as string) : undefined;
    const previous = this.#link;
    const known = previous === undefined ? this.#others : [previous, ...this.#others];
    const fits = this.#chained
      ? stored !== undefined && known.includes(stored)
      : this.#bare === 0 || stored === undefined;
    const accepted = first || this.#unsure || fits;
    if (stored !== undefined) {
      this.#chained = true;
      this.#goOn(stored);
    }
    if (accepted) return undefined;
    const message =
      previous === undefined
        ? "The anchor has a hash, but the log is not chained."
        : `The anchor is for ${brief(stored)}, but the file before it ends with ${brief(previous)}.`;
    return { rule: "ANCHOR_MISMATCH", message };
  }

  /** Records a line that could not be parsed. */
  unread(text: string): void {
    const end = linkAtEnd(text);
    if (!this.#chained) {
      if (end === undefined || this.#bare > 0) return;
      this.#chained = true;
    }
    if (this.#link !== undefined) this.#others = [this.#link, ...this.#others].slice(0, 4);
    this.#link = end ?? this.#link;
    this.#unsure = end === undefined;
  }

  #begin(line: ChainedLine, stored: string): Violation | undefined {
    this.#chained = true;
    if (this.#bare > 0) {
      this.#goOn(stored);
      return missing(
        `The first hash comes after ${this.#bare} event${this.#bare === 1 ? "" : "s"} without one`,
      );
    }
    // For a log that begins in the middle, the link before it is unknown.
    if (line.record["sequence"] !== 1) return this.#goOn(stored);
    this.#goOn(NO_LINK);
    return this.#follow(line, stored);
  }

  #follow(line: ChainedLine, stored: string): Violation | undefined {
    const before = this.#link ?? NO_LINK;
    if (!isLinked(line)) return this.#goOn(stored, [before]);
    const found = [before, ...this.#others].find((link) => isFollowing(line, link));
    if (found !== undefined || this.#unsure) {
      // A line that followed an older link may be out of place, because the line that was reported before it may be the right one.
      this.#goOn(stored, found === before || found === undefined ? NONE : [before]);
      return coversAll(line)
        ? undefined
        : mismatch("The hash does not cover all fields of this line.");
    }
    const expected = linkAfter(line, before);
    this.#goOn(stored, [before, expected]);
    return mismatch(
      expected === stored
        ? "A number on this line is not written as it was hashed, and readers may round it."
        : `The hash is ${brief(stored)}, but after the line before it must be ${brief(expected)}.`,
    );
  }

  /** Continues after an event without a hash. */
  #skip(line: ChainedLine): void {
    this.#chained = true;
    const before = this.#link ?? NO_LINK;
    this.#goOn(isLinked(line) ? linkAfter(line, before) : before, [before]);
    this.#unsure = true;
  }

  #goOn(next: string, others = NONE): undefined {
    this.#link = next;
    this.#others = others;
    this.#unsure = false;
  }
}

// Whether the record has every field that a link is computed from.
const isLinked = ({ record, whole }: ChainedLine): boolean =>
  whole ||
  (fieldFits(record, "sequence") && ENVELOPE_FIELDS.every((field) => Object.hasOwn(record, field)));

const coversAll = ({ record, whole }: ChainedLine): boolean =>
  whole ||
  Object.keys(record).every(
    (key) => key === "hash" || (ENVELOPE_FIELDS as readonly string[]).includes(key),
  );

const mismatch = (message: string): Violation => ({ rule: "HASH_MISMATCH", message });

const missing = (what: string): Violation => ({
  rule: "HASH_MISSING",
  message: `${what}. Either every event has a hash, or none has.`,
});

// Enough digits of a link to find it in the file.
const brief = (link: string | undefined): string =>
  link === undefined ? "no hash" : `${link.slice(0, 23)}…`;
