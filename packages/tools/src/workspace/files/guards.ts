import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { refused } from "./refused.ts";
import { segmentsBelow, type Root } from "./segments.ts";

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

/**
 * `hidden` is neither read nor written, `kept` is not written; absolute, or from the workspace. Case and look-alikes do not matter, nor
 * by way of which links they or the workspace are named. What lies elsewhere, or holds the workspace, is nobody's concern here.
 */
export async function guardsOf(root: Root, hidden: readonly string[], kept: readonly string[]): Promise<Guards> {
  const [own, other] = [await placesOf(root, hidden), await placesOf(root, kept)];
  const [unread, unwritten] = [own.map((way) => way.map(folded)), other.map((way) => way.map(folded))];
  const isHidden = (segments: readonly string[]): boolean => lies(segments, unread);
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
      if (segments.some((name) => OWN.test(folded(name))) || lies(segments, unwritten))
        throw refused(segments.join("/"), "no tool writes to", "ask a person to change it");
    },
  };
}

// Where paths lie in a workspace: as they are said, and as they really are.
async function placesOf({ given, real }: Root, paths: readonly string[]): Promise<readonly (readonly string[])[]> {
  const found = paths.map(async (entry) => {
    const path = resolve(real, entry);
    return [segmentsBelow(real, path), segmentsBelow(resolve(given), path), segmentsBelow(real, await realOf(path))];
  });
  const ways = (await Promise.all(found)).flat().flatMap((way) => (way === undefined || way.length === 0 ? [] : [way]));
  return [...new Map(ways.map((way) => [way.join("/"), way])).values()];
}

// Of what is not there yet, where it would be.
async function realOf(path: string): Promise<string> {
  const above = dirname(path);
  return realpath(path).catch(async () => (above === path ? path : join(await realOf(above), basename(path))));
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
