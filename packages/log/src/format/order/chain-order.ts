import type { JsonObject } from "@bylaw/kernel";
import { NO_LINK } from "../chain.ts";
import { createLinkFinder, type ChainedLine } from "../codec/chained-line.ts";
import { ENVELOPE_FIELDS, fieldFits } from "../codec/envelope.ts";
import { linkAtEnd } from "../codec/hash-text.ts";
import type { Violation } from "./rules.ts";

/** Checks the hash of each line against the lines before it. */
export interface ChainOrder {
  /** The link of the last line, where the log is chained. */
  readonly head: string | undefined;
  /** Whether it is known which link the next event must follow. */
  readonly sure: boolean;
  /** An event, or what is left of one. */
  next(line: ChainedLine): Violation | undefined;
  /** A line that carries the chain over from another file. `first`: nothing is known of the log before it. */
  anchor(record: JsonObject, place: { readonly first: boolean }): Violation | undefined;
  /** A line that could not be read. */
  unread(text: string): void;
}

/**
 * Reports each change once. The lines after a bad one may follow its own link, the link that it should have (its hash was
 * changed), or the link before it (it was inserted); they are reported only if they follow none of these. An attacker gains no
 * more by that than to append lines after one that is reported.
 */
export function createChainOrder({ required }: { readonly required: boolean }): ChainOrder {
  const links = createLinkFinder();
  let link: string | undefined;
  // Other links that the next line may follow, because of a line that was reported.
  let others: readonly string[] = [];
  // The line before was reported, and has no link to check the next one against.
  let unsure = false;
  let chained = false;
  let bare = 0;

  function goOn(next: string, also = NONE): undefined {
    link = next;
    others = also;
    unsure = false;
  }

  function begin(line: ChainedLine, stored: string): Violation | undefined {
    chained = true;
    if (bare > 0) {
      goOn(stored);
      return missing(
        `The first hash comes after ${bare} event${bare === 1 ? "" : "s"} without one`,
      );
    }
    // The link before a log that begins in the middle is unknown.
    if (line.record["sequence"] !== 1) return goOn(stored);
    goOn(NO_LINK);
    return follow(line, stored);
  }

  function follow(line: ChainedLine, stored: string): Violation | undefined {
    const before = link ?? NO_LINK;
    if (!isLinked(line)) return goOn(stored, [before]);
    const found = links.find(line, before, others);
    if (found !== undefined || unsure) {
      // A line that followed an older link may be out of place; the reported line then comes right after it.
      goOn(stored, found === before || found === undefined ? NONE : [before]);
      if (line.whole) return undefined;
      const extra = Object.keys(line.record).find(
        (key) => key !== "hash" && !(ENVELOPE_FIELDS as readonly string[]).includes(key),
      );
      if (extra === undefined) return undefined;
      return { rule: "HASH_MISMATCH", message: "The hash does not cover all fields of this line." };
    }
    const expected = links.linkOf(line, before);
    goOn(stored, [before, expected]);
    if (expected === stored) {
      return {
        rule: "HASH_MISMATCH",
        message: "A number on this line is not written as it was hashed, and readers may round it.",
      };
    }
    return {
      rule: "HASH_MISMATCH",
      message: `The hash is ${brief(stored)}, but after the line before it must be ${brief(expected)}.`,
    };
  }

  return {
    get head() {
      return link;
    },
    get sure() {
      return link !== undefined && !unsure;
    },
    next(line) {
      const { record, whole } = line;
      if (!Object.hasOwn(record, "hash")) {
        if (!chained && !required) {
          bare += 1;
          return undefined;
        }
        chained = true;
        without(line);
        return missing("This event of a chained log has no hash");
      }
      if (!whole && !fieldFits(record, "hash")) {
        // The envelope reports this field.
        chained = true;
        without(line);
        return undefined;
      }
      const stored = record["hash"] as string;
      return chained ? follow(line, stored) : begin(line, stored);
    },
    anchor(record, { first }) {
      const stored = fieldFits(record, "hash") ? (record["hash"] as string) : undefined;
      const known = chained ? [...(link === undefined ? [] : [link]), ...others] : [];
      const fits =
        first ||
        unsure ||
        (chained
          ? stored !== undefined && known.includes(stored)
          : bare === 0 || stored === undefined);
      const previous = link;
      if (stored !== undefined) {
        chained = true;
        goOn(stored);
      }
      if (fits) return undefined;
      return {
        rule: "ANCHOR_MISMATCH",
        message:
          previous === undefined
            ? "The anchor has a hash, but the log is not chained."
            : `The anchor is for ${brief(stored)}, but the file before it ends with ${brief(previous)}.`,
      };
    },
    unread(text) {
      const end = linkAtEnd(text);
      if (!chained) {
        if (end === undefined || bare > 0) return;
        chained = true;
      }
      const before = link === undefined ? others : [link, ...others].slice(0, 4);
      link = end ?? link;
      others = before;
      unsure = end === undefined;
    },
  };

  function without(line: ChainedLine): void {
    const before = link ?? NO_LINK;
    goOn(isLinked(line) ? links.linkOf(line, before) : before, [before]);
    unsure = true;
  }
}

const NONE: readonly string[] = [];

// Whether the record has everything that a link is computed from.
const isLinked = ({ record, whole }: ChainedLine): boolean =>
  whole ||
  (fieldFits(record, "sequence") && ENVELOPE_FIELDS.every((field) => Object.hasOwn(record, field)));

const missing = (what: string): Violation => ({
  rule: "HASH_MISSING",
  message: `${what}. Either every event has a hash, or none has.`,
});

// Enough digits of a link to find it in the file.
const brief = (link: string | undefined): string =>
  link === undefined ? "no hash" : `${link.slice(0, 23)}…`;
