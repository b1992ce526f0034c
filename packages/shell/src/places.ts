import type { Passage } from "./through.ts";
import { behind, pathOf } from "./ways.ts";

/**
 * What a line makes lead elsewhere, at every place where it stands: a link that is put behind another link of the line stands where that one leads,
 * too. More than `most` of them are not followed to their end.
 */
export function everyPlace(passages: readonly Passage[], most: number): readonly Passage[] {
  const all = [...passages];
  for (let before = 0; before < all.length && all.length <= most;) {
    before = all.length;
    for (const one of [...all])
      for (const other of [...all])
        for (const place of placesBehind(one, other)) if (!all.some((known) => isSame(known, place))) all.push(place);
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
