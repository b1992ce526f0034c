import { isAbsolute } from "node:path";
import { refused } from "./refused.ts";
import { segmentsBelow } from "./segments.ts";

/** Places of a workspace that tools stay away from. */
export interface Guards {
  /** Throws BYLAW_PLACE_REFUSED for what may not be read. */
  readonly mayRead: (segments: readonly string[]) => void;
  /** Throws BYLAW_PLACE_REFUSED for what may not be written. */
  readonly mayWrite: (segments: readonly string[]) => void;
  /** What is kept from agents, from the workspace. */
  readonly hidden: readonly string[];
  /** Whether a walk goes there. */
  readonly isHidden: (segments: readonly string[]) => boolean;
}

// Wherever they stand: what steers git, and what Bylaw is set up by.
const OWN = /^(?:\.git|git~\d+|\.bylaw|bylaw\.(?:config\.[a-z]+|serve\.json))$/;

/** `hidden` is neither read nor written, `kept` is not written; absolute, or from the workspace. Case and look-alikes do not matter. */
export function guardsOf(real: string, hidden: readonly string[], kept: readonly string[]): Guards {
  const places = (paths: readonly string[]): readonly (readonly string[])[] =>
    paths.flatMap((path) => {
      const segments = isAbsolute(path) ? segmentsBelow(real, path) : path.split("/").filter((name) => name !== "" && name !== ".");
      return segments === undefined || segments.length === 0 ? [] : [segments];
    });
  const own = places(hidden);
  const [unread, unwritten] = [own, places(kept)].map((ways) => ways.map((way) => way.map(folded)));
  const isHidden = (segments: readonly string[]): boolean => lies(segments, unread ?? []);
  const mayRead = (segments: readonly string[]): void => {
    if (isHidden(segments)) throw refused(segments.join("/"), "is kept from agents");
  };
  return {
    isHidden,
    hidden: own.map((way) => way.join("/")),
    mayRead,
    mayWrite(segments) {
      mayRead(segments);
      if (segments.length === 0) throw refused(".", "is the workspace itself");
      if (segments.some((name) => OWN.test(folded(name))) || lies(segments, unwritten ?? []))
        throw refused(segments.join("/"), "no tool writes to", "ask a person to change it");
    },
  };
}

const lies = (segments: readonly string[], places: readonly (readonly string[])[]): boolean => {
  const seen = segments.map(folded);
  return places.some((place) => place.every((name, at) => seen[at] === name));
};

// Names that some file system takes for the same: other case, forms of one letter, letters that nobody sees, dots and blanks at the end.
const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/[. ]+$/, "");
