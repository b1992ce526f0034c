import type { CallFacts } from "../match/call-facts.ts";
import { BASES, type PathGlob } from "./path-glob.ts";
import { ROOT, type Place } from "./place.ts";
import type { Rule } from "../compile/rule.ts";
import { appliesToTool } from "../compile/rule-tool.ts";

/** Creates a function that tells whether one of the rules names a folder below a path of a call. */
export function createDescendantLookup(rules: readonly Rule[]): (facts: CallFacts) => boolean {
  let index: { readonly reads: Ancestors; readonly writes: Ancestors } | undefined;
  return (facts) => {
    const { reads, writes } = (index ??= indexOf(rules));
    return facts.paths.known.some(({ access, all }) =>
      all.some(
        (place) =>
          (access !== "write" && reads.reach(place, facts)) ||
          (access !== "read" && writes.reach(place, facts)),
      ),
    );
  };
}

function indexOf(rules: readonly Rule[]): {
  readonly reads: Ancestors;
  readonly writes: Ancestors;
} {
  const reads = new Ancestors();
  const writes = new Ancestors();
  for (const rule of rules) {
    for (const glob of rule.readPaths?.globs ?? []) reads.add(glob, rule);
    for (const glob of rule.writePaths?.globs ?? []) writes.add(glob, rule);
  }
  return { reads, writes };
}

/** Rules indexed by the folders that their globs begin with, and by the parents of these. */
class Ancestors {
  readonly #rules = new Map<string, Set<Rule>>();

  add({ base, lead: exact, folded }: PathGlob, rule: Rule): void {
    const lead = folded?.lead ?? exact;
    for (let depth = 0; lead.length > 0 && depth <= lead.length; depth++) {
      const key = keyOf(base, lead.slice(0, depth));
      const rules = this.#rules.get(key);
      if (rules === undefined) this.#rules.set(key, new Set([rule]));
      else rules.add(rule);
    }
  }

  reach({ folded: { segments: place } }: Place, facts: CallFacts): boolean {
    if (this.#rules.size === 0) return false;
    return BASES.some((base) => {
      const folder = (base === "root" ? ROOT : facts.paths[base])?.folded.segments;
      if (
        folder === undefined ||
        folder.some((segment, at) => at < place.length && place[at] !== segment)
      )
        return false;
      for (const rule of this.#rules.get(keyOf(base, place.slice(folder.length))) ?? [])
        if (appliesToTool(rule, facts.identity)) return true;
      return false;
    });
  }
}

const keyOf = (base: PathGlob["base"], segments: readonly string[]): string =>
  `${base}/${segments.join("/")}`;
