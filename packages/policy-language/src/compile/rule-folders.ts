import type { CallFacts } from "../match/call-facts.ts";
import type { PathGlob } from "../paths/path-glob.ts";
import type { Place } from "../paths/place.ts";
import type { Entry, RuleMatcher } from "../decide/rule-matcher.ts";

interface Bases {
  readonly workspace: Place | undefined;
  readonly home: Place | undefined;
}

/** Rules about paths, indexed by the folders that their globs begin with. */
export class RuleFolders {
  readonly #trees: Readonly<Record<PathGlob["base"], FolderTree>> = {
    root: new FolderTree(),
    home: new FolderTree(),
    workspace: new FolderTree(),
  };

  /** Rules without a folder yet. They get theirs when a call uses a file, because until then their globs need not be compiled. */
  readonly added: Entry[] = [];

  #placeAdded(): void {
    for (const entry of this.added.splice(0)) {
      const { readPaths, writePaths } = entry.rule;
      for (const glob of [...(readPaths?.globs ?? []), ...(writePaths?.globs ?? [])])
        for (const list of this.#listsOf(glob)) if (list.at(-1) !== entry) list.push(entry);
    }
  }

  /** The lists that hold rules with such a glob. */
  #listsOf({ base, lead, folded }: PathGlob): readonly Entry[][] {
    const tree = this.#trees[base];
    return folded === undefined ? [tree.at(lead)] : [tree.at(lead), tree.at(folded.lead)];
  }

  /** Shows a matcher every rule that could match a path of the call. */
  visit(facts: CallFacts, matcher: RuleMatcher): void {
    const { known, workspace, home } = facts.paths;
    if (known.length === 0) return;
    if (this.added.length > 0) this.#placeAdded();
    const exact = { workspace, home };
    const loose = { workspace: workspace?.folded, home: home?.folded };
    const folds = loose.workspace !== workspace || loose.home !== home;
    for (const { all, region } of known) {
      for (const folder of region?.folders ?? []) {
        this.#visitRegion(folder, exact, facts, matcher);
        const other = folder.folded;
        if (folds || other !== folder) this.#visitRegion(other, loose, facts, matcher);
      }
      for (const place of all) {
        this.#visitPlace(place, exact, facts, matcher);
        const other = place.folded;
        if (folds || other !== place) this.#visitPlace(other, loose, facts, matcher);
      }
    }
  }

  #visitRegion(folder: Place, bases: Bases, facts: CallFacts, matcher: RuleMatcher): void {
    const { root, workspace, home } = this.#trees;
    root.visitBelow(folder.segments, facts, matcher);
    if (bases.workspace !== undefined)
      workspace.visitBelow(remainder(folder, bases.workspace), facts, matcher);
    if (bases.home !== undefined) home.visitBelow(remainder(folder, bases.home), facts, matcher);
  }

  #visitPlace(place: Place, bases: Bases, facts: CallFacts, matcher: RuleMatcher): void {
    const { root, workspace, home } = this.#trees;
    const { segments } = place;
    root.visit(segments, 0, facts, matcher);
    if (bases.workspace !== undefined && place.isBelow(bases.workspace))
      workspace.visit(segments, bases.workspace.segments.length, facts, matcher);
    if (bases.home !== undefined && place.isBelow(bases.home))
      home.visit(segments, bases.home.segments.length, facts, matcher);
  }
}

// Returns the rest of `folder` below `above`: empty if `above` lies inside `folder`, and undefined if neither contains the other.
function remainder(
  { segments: folder }: Place,
  { segments: above }: Place,
): readonly string[] | undefined {
  return above.every((segment, at) => at >= folder.length || folder[at] === segment)
    ? folder.slice(above.length)
    : undefined;
}

interface Folder {
  readonly children: Map<string, Folder>;
  readonly entries: Entry[];
}

class FolderTree {
  readonly #root: Folder = { children: new Map(), entries: [] };

  at(segments: readonly string[]): Entry[] {
    let node = this.#root;
    for (const segment of segments) {
      let child = node.children.get(segment);
      if (child === undefined)
        node.children.set(segment, (child = { children: new Map(), entries: [] }));
      node = child;
    }
    return node.entries;
  }

  visit(place: readonly string[], from: number, facts: CallFacts, matcher: RuleMatcher): void {
    let node: Folder | undefined = this.#root;
    for (let at = from; node !== undefined; at++) {
      seeEachOnce(node.entries, facts, matcher);
      const segment = place[at];
      node = segment === undefined ? undefined : node.children.get(segment);
    }
  }

  /** Shows a matcher the rules of a folder, of the folders above it, and of all folders below it. */
  visitBelow(place: readonly string[] | undefined, facts: CallFacts, matcher: RuleMatcher): void {
    if (place === undefined) return;
    let node: Folder = this.#root;
    for (const segment of place) {
      seeEachOnce(node.entries, facts, matcher);
      const child = node.children.get(segment);
      if (child === undefined) return;
      node = child;
    }
    const open = [node];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      seeEachOnce(next.entries, facts, matcher);
      open.push(...next.children.values());
    }
  }
}

/** Shows a matcher rules that it may already have seen. */
export function seeEachOnce(
  entries: readonly Entry[] | undefined,
  facts: CallFacts,
  matcher: RuleMatcher,
): void {
  if (entries === undefined) return;
  for (const entry of entries) matcher.seeOnce(entry, facts);
}
