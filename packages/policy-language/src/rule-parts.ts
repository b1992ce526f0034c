import type { CallFacts } from "./facts.ts";
import type { Glob } from "./glob.ts";
import type { NetworkPattern } from "./network.ts";
import type { PathGlob } from "./path-glob.ts";
import type { Regex } from "./regex.ts";
import type { WordPattern } from "./words.ts";

/** Whether one of the globs matches a name that is there. */
export const named = (globs: readonly Glob[], name: string | undefined): boolean =>
  name !== undefined && globs.some((glob) => glob.matches(name));

export function reaches(network: NetworkPattern, facts: CallFacts, { allow }: { readonly allow: boolean }): boolean {
  const { identity, args, tools } = facts;
  const argument = tools.network.get(identity.bare);
  if (argument === undefined) return false;
  // One of the arguments without names may be the URL.
  if (args === undefined) return !allow && Array.isArray(facts.call.args) && facts.call.args.length > 0;
  if (!Object.hasOwn(args, argument)) return false;
  return allow ? network.allows(args[argument]) : network.denies(args[argument]);
}

export function wordsAllow(words: readonly WordPattern[], { command }: CallFacts): boolean {
  if (command === null || !("risky" in command.reading)) return false;
  const { argv, risky } = command.reading;
  return words.some((pattern) => pattern.allows(argv, risky));
}

export function wordsDeny(words: readonly WordPattern[], { command }: CallFacts): boolean {
  const argv = command?.reading.argv;
  if (command === null || argv === undefined) return false;
  let named = 0;
  for (let from = 0; from < command.starts; from++) {
    for (const pattern of words) {
      if (!pattern.names(argv[from] ?? "")) continue;
      // A line that says the denied name this often is not worth reading further.
      if (++named > MAX_NAMED || pattern.denies(argv, from)) return true;
    }
  }
  return false;
}

const MAX_NAMED = 64;

export function regexAllows(regex: Regex, facts: CallFacts): boolean {
  const { command } = facts;
  return command !== null && "risky" in command.reading && command.reading.risky.length === 0 && regex.matches(facts.line);
}

/** Whether some part of the line is a command that the regular expression names. */
export function regexDenies(regex: Regex, facts: CallFacts): boolean {
  return facts.lines.some((line) => regex.matches(line));
}

type Globs = readonly PathGlob[] | undefined;

export function pathsAllow(read: Globs, write: Globs, facts: CallFacts): boolean {
  const { known, unknown, from } = facts.paths;
  if (unknown !== undefined || from === "generic" || known.length === 0) return false;
  return known.every(({ access, places }) =>
    places.every((place) => {
      if (access !== "write" && !covered(read, place, facts)) return false;
      return access === "read" || covered(write, place, facts);
    }),
  );
}

export function pathsDeny(read: Globs, write: Globs, facts: CallFacts): boolean {
  return facts.paths.known.some(({ access, places, aliases }) =>
    [...places, ...aliases].some(
      (place) => (access !== "write" && covered(read, place, facts)) || (access !== "read" && covered(write, place, facts)),
    ),
  );
}

function covered(globs: Globs, place: readonly string[], facts: CallFacts): boolean {
  if (globs === undefined) return false;
  return globs.some((glob) => {
    const below = belowBase(glob, place, facts);
    return below !== undefined && glob.matches(below);
  });
}

// The segments of a place below the base of a glob, or nothing when it is not there.
function belowBase({ base }: PathGlob, place: readonly string[], facts: CallFacts): readonly string[] | undefined {
  if (base === "root") return place;
  const folder = facts.paths[base];
  if (folder === undefined || place.length < folder.length) return undefined;
  for (const [at, segment] of folder.entries()) if (place[at] !== segment) return undefined;
  return place.slice(folder.length);
}
