import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { refused } from "./refused.ts";
import { segmentsBelow, type Root } from "./segments.ts";

/** The places in a workspace that tools must not touch. */
export interface Guards {
  /** Throws BYLAW_PLACE_REFUSED if the path may not be read. */
  readonly mayRead: (segments: readonly string[]) => void;
  /** Throws BYLAW_PLACE_REFUSED if the path may not be written. */
  readonly mayWrite: (segments: readonly string[]) => void;
  /** The paths that agents cannot see, relative to the workspace. */
  readonly hidden: readonly string[];
  /** Whether a path is hidden, so that searches skip it. */
  readonly isHidden: (segments: readonly string[]) => boolean;
}

// Git's own files and Bylaw's configuration, at any depth.
const PROTECTED_NAMES = /^(?:\.git|git~\d+|\.bylaw|bylaw\.(?:config\.[a-z]+|serve\.json))$/;

/**
 * `hidden` paths can be neither read nor written; `kept` paths cannot be written. Both are absolute, or relative to the workspace. They
 * also match in other letter case, in look-alike characters and through links. Paths outside the workspace, and its parents, are ignored.
 */
export async function guardsOf(
  root: Root,
  hidden: readonly string[],
  kept: readonly string[],
): Promise<Guards> {
  const [hiddenPaths, keptPaths] = [await placesOf(root, hidden), await placesOf(root, kept)];
  const [unread, unwritten] = [
    hiddenPaths.map((path) => path.map(folded)),
    keptPaths.map((path) => path.map(folded)),
  ];
  const isHidden = (segments: readonly string[]): boolean => lies(segments, unread);
  const mayRead = (segments: readonly string[]): void => {
    if (isHidden(segments)) throw refused(segments.join("/"), "is off limits to agents");
  };
  return {
    isHidden,
    hidden: hiddenPaths.map((path) => path.join("/")),
    mayRead,
    mayWrite(segments) {
      mayRead(segments);
      if (segments.length === 0) throw refused(".", "is the workspace itself");
      if (segments.some((name) => PROTECTED_NAMES.test(folded(name))) || lies(segments, unwritten))
        throw refused(
          segments.join("/"),
          "cannot be changed by agents",
          "Ask a person to change it",
        );
    },
  };
}

// Paths relative to the workspace, as given and with links resolved.
async function placesOf(
  { given, real }: Root,
  paths: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const found = paths.map(async (entry) => {
    const path = resolve(real, entry);
    return [
      segmentsBelow(real, path),
      segmentsBelow(resolve(given), path),
      segmentsBelow(real, await realOf(path)),
    ];
  });
  const inside = (await Promise.all(found))
    .flat()
    .flatMap((segments) => (segments === undefined || segments.length === 0 ? [] : [segments]));
  return [...new Map(inside.map((segments) => [segments.join("/"), segments])).values()];
}

// If the path does not exist yet, its future real path.
async function realOf(path: string): Promise<string> {
  const above = dirname(path);
  return realpath(path).catch(async () =>
    above === path ? path : join(await realOf(above), basename(path)),
  );
}

const lies = (segments: readonly string[], places: readonly (readonly string[])[]): boolean => {
  const seen = segments.map(folded);
  return places.some((place) => place.every((name, at) => seen[at] === name));
};

// Unifies names that some file system takes for the same: letter case, forms of a letter, invisible letters, and dots and blanks at the end.
const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/[. ]+$/, "");
