import type { Draft } from "./context.ts";
import { behind, pathOf, type Way } from "./ways.ts";

/** What a line makes lead elsewhere: a link, a copy or another name of what may be one, or what comes out of an archive. */
export interface Passage extends Way {
  /** The command that makes it. */
  readonly by: Draft;
  /** Where it leads; undefined where that cannot be known. */
  readonly to: string | undefined;
  /** It is what was there, under another name or once more: a link of it may lead elsewhere now. */
  readonly again: boolean;
}

/**
 * What a line makes lead elsewhere, at every place where it stands: a link that is put behind another link of the line stands where that one leads,
 * too. Where there are more than `most`, one more at least is among them, and not all.
 */
export function everyPlace(passages: readonly Passage[], most: number): readonly Passage[] {
  const all = [...passages];
  // A list grows while it is walked: each is held against those before it, both ways, once.
  for (const [at, one] of all.entries()) {
    for (const other of all.slice(0, at)) {
      for (const place of [...placesBehind(one, other), ...placesBehind(other, one)]) {
        if (all.length > most) return all;
        if (!all.some((known) => isSame(known, place))) all.push(place);
      }
    }
  }
  return all;
}

// What is a copy, or was there before, is refused where there is a link in it. Where nobody knows the place, the command that puts it there is not known.
function placesBehind(one: Passage, other: Passage): readonly Passage[] {
  const { to } = other;
  if (other.by === one.by || other.again || to === undefined || one.names.length === 0) return [];
  const path = { ...one, written: one.names, raw: [], left: [] };
  return behind(path, other).flatMap(({ text, known }) => {
    if (!known || text === "") return [];
    const { base, ups, names } = pathOf(to + text);
    return [{ ...one, base, ups, names, moved: one.moved || other.moved }];
  });
}

const isSame = (one: Passage, other: Passage): boolean =>
  one.by === other.by &&
  one.base === other.base &&
  one.ups === other.ups &&
  one.to === other.to &&
  one.names.join("/") === other.names.join("/");
