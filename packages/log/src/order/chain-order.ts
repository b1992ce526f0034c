import type { JsonObject } from "@bylaw/kernel";
import { NO_LINK } from "../chain.ts";
import { createLinkFinder, type ChainedLine } from "../codec/chained-line.ts";
import { ENVELOPE_FIELDS, fieldFits } from "../codec/envelope.ts";
import { linkAtEnd } from "../codec/hash-text.ts";
import type { Broken } from "./rules.ts";

/** Holds the hash of each line against the lines before it. */
export interface ChainOrder {
  /** The link of the last line, where the log is chained. */
  readonly head: string | undefined;
  /** Whether it is known which link the next event has to follow. */
  readonly sure: boolean;
  /** An event, or what is left of one. */
  next(line: ChainedLine): Broken | undefined;
  /** A line that carries the chain over from another file. `first`: nothing is known of the log before it. */
  anchor(record: JsonObject, place: { readonly first: boolean }): Broken | undefined;
  /** A line that could not be read. */
  unread(text: string): void;
}

/**
 * A fold over the lines of a log. A line that does not follow is told once: the lines behind it may follow the link that it
 * bears, the one that it should bear (its hash was changed) or the one before it (it was put in), and are told only where they
 * follow none of these. What an attacker may do with that is no more than to write lines behind a line that was told.
 */
export function createChainOrder({ required }: { readonly required: boolean }): ChainOrder {
  const links = createLinkFinder();
  let link: string | undefined;
  // Other links that the next line may follow, because of a line that was told.
  let others: readonly string[] = [];
  // The line before was told, and bears no link that the next one could be held against.
  let unsure = false;
  let chained = false;
  let bare = 0;

  function goOn(next: string, also = NONE): undefined {
    link = next;
    others = also;
    unsure = false;
  }

  function begin(line: ChainedLine, stored: string): Broken | undefined {
    chained = true;
    if (bare > 0) {
      goOn(stored);
      return missing(`first hash behind ${bare} event${bare === 1 ? "" : "s"} without one`);
    }
    // Of a log that begins in the middle nobody knows the link before it.
    if (line.record["sequence"] !== 1) return goOn(stored);
    goOn(NO_LINK);
    return follow(line, stored);
  }

  function follow(line: ChainedLine, stored: string): Broken | undefined {
    const before = link ?? NO_LINK;
    if (!isLinked(line)) return goOn(stored, [before]);
    const found = links.find(line, before, others);
    if (found !== undefined || unsure) {
      // What followed an older link may stand out of place: the line that was told then comes right after it.
      goOn(stored, found === before || found === undefined ? NONE : [before]);
      if (line.whole) return undefined;
      const extra = Object.keys(line.record).find((key) => key !== "hash" && !(ENVELOPE_FIELDS as readonly string[]).includes(key));
      if (extra === undefined) return undefined;
      return { rule: "HASH_MISMATCH", message: "Unexpected field that the hash does not cover, expected only those of an event" };
    }
    const expected = links.linkOf(line, before);
    goOn(stored, [before, expected]);
    if (expected === stored) {
      return { rule: "HASH_MISMATCH", message: "Unexpected number that a reader may round, expected one as it was hashed" };
    }
    return { rule: "HASH_MISMATCH", message: `Unexpected hash ${brief(stored)}, expected ${brief(expected)} behind the line before` };
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
        return missing("event without a hash in a chained log");
      }
      if (!whole && !fieldFits(record, "hash")) {
        // That has been told as a field that does not fit.
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
      const fits = first || unsure || (chained ? stored !== undefined && known.includes(stored) : bare === 0 || stored === undefined);
      const previous = link;
      if (stored !== undefined) {
        chained = true;
        goOn(stored);
      }
      if (fits) return undefined;
      const wanted = previous === undefined ? "none, as the log is not chained" : brief(previous);
      return { rule: "ANCHOR_MISMATCH", message: `Unexpected anchor at ${brief(stored)}, expected ${wanted}` };
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

// Whether there is all that a link is computed from.
const isLinked = ({ record, whole }: ChainedLine): boolean =>
  whole || (fieldFits(record, "sequence") && ENVELOPE_FIELDS.every((field) => Object.hasOwn(record, field)));

const missing = (what: string): Broken => ({
  rule: "HASH_MISSING",
  message: `Unexpected ${what}, expected a hash on every event or on none`,
});

// Enough of a link to find it in the file.
const brief = (link: string | undefined): string => (link === undefined ? "no hash" : `${link.slice(0, 23)}…`);
