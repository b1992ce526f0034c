import { ALIASES } from "./same.ts";
import { specOf } from "./tables.ts";

const NONE: readonly string[] = [];

/**
 * The words besides itself by which a program may be told the name of a subcommand, the first of several: `container` for `run` of
 * docker. Undefined where any word could be a beginning of the name, so that no list has them all.
 */
export function otherFirstWords(program: string, name: string): readonly string[] | undefined {
  if (specOf(program)?.whole !== undefined) return undefined;
  const aliases = ALIASES[program];
  if (aliases === undefined) return NONE;
  const found = new Set<string>();
  for (const [other, usual] of aliases) {
    if (usual === name || usual.split(" ").includes(name)) found.add(other.split(" ")[0] ?? other);
  }
  return [...found];
}
