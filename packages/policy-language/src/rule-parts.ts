import { othersAllowed, someDenied } from "./call-urls.ts";
import { argumentsDeny, argumentsMayDeny } from "./command-urls.ts";
import type { CallFacts } from "./facts.ts";
import { foldPath } from "./fold.ts";
import type { Glob } from "./glob.ts";
import type { NetworkPattern } from "./network.ts";
import { quoted, textFrom } from "./line.ts";
import { ANY, type PathGlob } from "./path-glob.ts";
import { foldRegion, meets, type Region } from "./path-meet.ts";
import { baseName } from "./program-name.ts";
import type { Regex } from "./regex.ts";
import { coversOpen, type WordPattern } from "./words.ts";

/** Whether one of the globs matches a name that is there. */
export const named = (globs: readonly Glob[], name: string | undefined): boolean =>
  name !== undefined && globs.some((glob) => glob.matches(name));

export function reaches(network: NetworkPattern, facts: CallFacts, { allow }: { readonly allow: boolean }): boolean {
  const { identity, args, call, tools, part } = facts;
  if (part !== null) {
    const hosts = part.effects.filter((effect) => effect.kind === "network").map(({ host }) => host);
    if (!allow) return hosts.some((host) => host !== undefined && network.deniesHost(host)) || argumentsDeny(network, part);
    return hosts.length > 0 && hosts.every((host) => host !== undefined && network.allowsHost(host));
  }
  const argument = tools.network.get(identity.bare);
  if (allow) {
    if (argument === undefined || args === undefined || !Object.hasOwn(args, argument)) return false;
    return network.allows(args[argument]) && othersAllowed(network, call, argument);
  }
  // One of the arguments without names may be the URL.
  if (argument !== undefined && Array.isArray(call.args) && call.args.length > 0) return true;
  return someDenied(network, call, identity, tools);
}

/** Whether a command reaches a host that is not known. */
export function mayReach({ part }: CallFacts): boolean {
  if (part === null) return false;
  return part.effects.some((effect) => effect.kind === "network" && effect.host === undefined) || argumentsMayDeny(part);
}

export function wordsAllow(words: readonly WordPattern[], { part }: CallFacts): boolean {
  return part?.plain === true && words.some((pattern) => pattern.allows(part.words, part.hazards));
}

/** Whether some part of the command is what a pattern names, `sure` or as far as it can be known. */
export function wordsDeny(words: readonly WordPattern[], { part }: CallFacts, { sure }: { readonly sure: boolean }): boolean {
  if (part === null) return false;
  const enough = sure ? 2 : 1;
  let named = 0;
  for (let from = 0; from < part.starts; from++) {
    const word = part.words[from]?.text;
    if (word === undefined) continue;
    for (const pattern of words) {
      if (!pattern.names(word)) continue;
      // A line that says the denied name this often is not worth reading further.
      if (++named > MAX_NAMED || pattern.denies(part.words, from) >= enough) return true;
    }
  }
  return false;
}

/** A line that names a denied program more often is denied unread. */
export const MAX_NAMED = 64;

export function regexAllows(regex: Regex, { part }: CallFacts): boolean {
  if (part?.plain !== true || part.hazards.length > 0 || part.words.some(({ text, single }) => text === undefined || !single)) return false;
  // A name with a blank in it would read as a program and its argument.
  return part.words[0]?.text?.includes(" ") !== true && regex.matches(part.quoted);
}

// So much text, all starts together, that a long line of many words stays cheap.
const MAX_TEXT = 65_536;

/**
 * Whether some part of the command is one that the regular expression names, `sure` or with any text for what is not known. A line
 * that says the name too often to be read is denied, and one that any word of could begin a match may match.
 */
export function regexDenies(regex: Regex, { part }: CallFacts, { sure }: { readonly sure: boolean }): boolean {
  if (part === null) return false;
  const { prefixes, suffix } = regex;
  const hasBlanks = part.words.some(({ text }) => text !== undefined && quoted(text) !== text);
  let left = MAX_TEXT;
  for (let from = 0; from < part.starts; from++) {
    const word = part.words[from]?.text;
    if (word === undefined) continue;
    const base = baseName(word);
    for (const name of base === word ? [word] : [word, base]) {
      if (!prefixes.some((prefix) => name.startsWith(prefix) || prefix.startsWith(`${name} `))) continue;
      for (const quotes of hasBlanks ? [false, true] : [false]) {
        const { head, tail } = textFrom(part.words, from, name, { quotes });
        left -= head.length + 1;
        if (left < 0) return !sure || prefixes[0] !== "";
        if (tail === undefined ? regex.matches(head) : !sure && mayBe(head, tail)) return true;
      }
    }
  }
  return false;

  function mayBe(head: string, tail: string): boolean {
    return (
      (tail.endsWith(suffix) || suffix.endsWith(tail)) && prefixes.some((prefix) => head.startsWith(prefix) || prefix.startsWith(head))
    );
  }
}

/** Whether an allow that names no command covers one: nothing is hidden in it, and it does nothing but what the rule is about. */
export function blanketAllows({ part, line }: CallFacts, about: { readonly files: boolean; readonly network: boolean }): boolean {
  if (part === null) return line === null;
  if (!part.plain || part.hazards.length > 0 || !coversOpen(part.words)) return false;
  if (!about.files && !about.network) return true;
  const { files, network } = about;
  return (
    !part.carries &&
    part.effects.every(
      ({ kind }) => kind === "read" || (files && (kind === "write" || kind === "delete")) || (network && kind === "network"),
    )
  );
}

type Globs = readonly PathGlob[] | undefined;

/** `named`: the rule names the command, so that one that touches no file at all is covered too. */
export function pathsAllow(read: Globs, write: Globs, facts: CallFacts, { named: byName }: { readonly named: boolean }): boolean {
  const { known, unknown, doubtful, from } = facts.paths;
  if (unknown !== undefined || doubtful || from === "generic") return false;
  if (known.length === 0) return byName && facts.part?.remote === false;
  return known.every(
    ({ access, places, region, remote, follows }) =>
      remote !== true &&
      follows !== true &&
      places.every((place) => {
        const below = region !== undefined;
        if (access !== "write" && !covered(read, place, facts, { below })) return false;
        return access === "read" || covered(write, place, facts, { below });
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

/** Whether something below a folder that the command names may be what the globs name. */
export function pathsMayDeny(read: Globs, write: Globs, facts: CallFacts): boolean {
  return facts.paths.known.some(
    ({ access, region }) =>
      region !== undefined &&
      ((access !== "write" && mayHold(read, region, facts)) || (access !== "read" && mayHold(write, region, facts))),
  );
}

function mayHold(globs: Globs, region: Region, { paths }: CallFacts): boolean {
  if (globs === undefined) return false;
  return globs.some((glob) => {
    const base = glob.base === "root" ? [] : paths[glob.base];
    if (base === undefined) return false;
    return meets(glob, base, region) || (glob.folded !== undefined && meets(glob.folded, foldPath(base), foldRegion(region)));
  });
}

function covered(
  globs: Globs,
  place: readonly string[],
  facts: CallFacts,
  { below: deep }: { readonly below: boolean } = { below: false },
): boolean {
  if (globs === undefined) return false;
  return globs.some((glob) => {
    if (deep && glob.segments.at(-1) !== ANY) return false;
    const folder = glob.base === "root" ? [] : facts.paths[glob.base];
    if (folder === undefined) return false;
    const { folded } = glob;
    return lies(glob, place, folder) || (folded !== undefined && lies(folded, foldPath(place), foldPath(folder)));
  });
}

// Whether a place is one that a glob matches below its base.
function lies(glob: PathGlob, place: readonly string[], folder: readonly string[]): boolean {
  if (place.length < folder.length) return false;
  for (const [at, segment] of folder.entries()) if (place[at] !== segment) return false;
  return glob.matches(folder.length === 0 ? place : place.slice(folder.length));
}
