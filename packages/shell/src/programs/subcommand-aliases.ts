import { ALIASES } from "./synonyms.ts";
import { specOf } from "./program-table.ts";

const NONE: readonly string[] = [];

/**
 * Other first words for a subcommand, such as `container` for `run` of docker. Undefined if the program accepts prefixes, because
 * then no list is complete.
 */
export function otherFirstWords(program: string, name: string): readonly string[] | undefined {
  if (specOf(program)?.fullName !== undefined) return undefined;
  const aliases = ALIASES[program];
  if (aliases === undefined) return NONE;
  const found = new Set<string>();
  for (const [other, usual] of aliases) {
    if (usual === name || usual.split(" ").includes(name)) found.add(other.split(" ")[0] ?? other);
  }
  return [...found];
}
