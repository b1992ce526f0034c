import type { Word } from "@bylaw/shell";
import { othersAllowed, someDenied } from "../match/call-urls.ts";
import { argumentsDeny, argumentsMayDeny } from "../match/command-urls.ts";
import type { CallFacts } from "../match/call-facts.ts";
import type { Glob } from "../match/glob.ts";
import type { NetworkPattern } from "../match/hosts.ts";
import { quoted, textFrom } from "../match/command-text.ts";
import type { LinePart } from "../match/shell-line.ts";
import { baseName } from "./program-name.ts";
import type { Regex } from "../match/regex.ts";
import { coversOpen, type WordPattern } from "../match/command-words.ts";

/** Whether the name is present and one of the globs matches it. */
export const named = (globs: readonly Glob[], name: string | undefined): boolean =>
  name !== undefined && globs.some((glob) => glob.matches(name));

/** The command that an allow may cover. If a tool runs no shell line, commands in its arguments concern only denies and asks. */
export const coverable = ({ part, tools, identity }: CallFacts): LinePart | null =>
  tools.shell.has(identity.bare) ? part : null;

export function reaches(
  network: NetworkPattern,
  facts: CallFacts,
  { allow, named: byName = false }: { readonly allow: boolean; readonly named?: boolean },
): boolean {
  const { identity, args, call, tools, part } = facts;
  if (part !== null) {
    const hosts = part.effects
      .filter((effect) => effect.kind === "network")
      .map(({ host }) => host);
    if (!allow)
      return (
        hosts.some((host) => host !== undefined && network.deniesHost(host)) ||
        argumentsDeny(network, part)
      );
    return (
      coverable(facts) !== null &&
      (byName || hosts.length > 0) &&
      hosts.every((host) => host !== undefined && network.allowsHost(host))
    );
  }
  const argument = tools.network.get(identity.bare);
  if (allow) {
    if (argument === undefined || args === undefined || !Object.hasOwn(args, argument))
      return false;
    return network.allows(args[argument]) && othersAllowed(network, call, argument);
  }
  // Without argument names, any argument may be the URL.
  if (argument !== undefined && Array.isArray(call.args) && call.args.length > 0) return true;
  return someDenied(network, call, identity, tools);
}

/** Whether a command may reach a host that is not known. */
export function mayReach({ part }: CallFacts): boolean {
  if (part === null) return false;
  return (
    part.effects.some((effect) => effect.kind === "network" && effect.host === undefined) ||
    argumentsMayDeny(part)
  );
}

/** What an allow permits in addition to the words of a command. */
interface Covered {
  /** Whether the command may redirect its output to a file. */
  readonly redirects?: true | undefined;
}

export function wordsAllow(
  words: readonly WordPattern[],
  facts: CallFacts,
  { redirects }: Covered,
): boolean {
  const part = coverable(facts);
  if (part === null || !(redirects === true ? part.writesOutput : part.plain)) return false;
  const groups = groupsOf(words);
  return programsOf(part.words[0]).some(
    (program) =>
      groups.get(program)?.some((pattern) => pattern.allows(part.words, part.hazards)) === true,
  );
}

const grouped = new WeakMap<
  readonly WordPattern[],
  ReadonlyMap<string | undefined, readonly WordPattern[]>
>();

// A rule may have hundreds of patterns. Only those about the command's program can match.
function groupsOf(words: readonly WordPattern[]) {
  let groups = grouped.get(words);
  if (groups === undefined)
    grouped.set(words, (groups = Map.groupBy(words, ({ program }) => program?.toLowerCase())));
  return groups;
}

// The groups of patterns that may match a command with this first word.
const programsOf = (first: Word | undefined): readonly (string | undefined)[] =>
  first?.text === undefined ? [] : [undefined, baseName(first.text).toLowerCase()];

/** Whether some part of the command matches a word pattern. `sure`: for certain; otherwise also if unknown words allow a match. */
export function wordsDeny(
  words: readonly WordPattern[],
  { part }: CallFacts,
  { sure }: { readonly sure: boolean },
): boolean {
  if (part === null) return false;
  const enough = sure ? 2 : 1;
  const groups = groupsOf(words);
  for (const program of part.starts > 1 ? groups.keys() : programsOf(part.words[0])) {
    let named = 0;
    for (const from of part.startsOf(program)) {
      const word = part.words[from]?.text;
      if (word === undefined) continue;
      const patterns = groups.get(program)?.filter((pattern) => pattern.names(word)) ?? [];
      // A line that repeats the denied name this often is denied without reading further.
      if (patterns.length > 0 && ++named > MAX_NAMED) return true;
      if (patterns.some((pattern) => pattern.denies(part, from) >= enough)) return true;
    }
  }
  return false;
}

/** How often a line may name a denied program before it is denied unread. */
export const MAX_NAMED = 64;

export function regexAllows(regex: Regex, facts: CallFacts, { redirects }: Covered): boolean {
  const part = coverable(facts);
  if (
    part === null ||
    !(redirects === true ? part.writesOutput : part.plain) ||
    !part.hazards.every(({ at, does }) => does === "unknown" && spells(regex, part.words[at])) ||
    part.words.some(({ text, single }) => text === undefined || !single)
  )
    return false;
  // A space in the program's name would make the regular expression read it as a program and an argument.
  return part.words[0]?.text?.includes(" ") !== true && regex.matches(part.quoted);
}

// An option that no table lists is covered if the expression contains its literal name.
function spells({ source }: Regex, word: Word | undefined): boolean {
  const name = word?.text?.split("=", 1)[0];
  return (
    name !== undefined &&
    /^--?\w[\w-]*$/.test(name) &&
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(source)
  );
}

// The limit of text to compare, summed over all starts, so that a long line stays cheap.
const MAX_TEXT = 65_536;

/**
 * Whether some part of the command matches the regular expression. `sure`: for certain; otherwise unknown words may be any text.
 * Past the limit of text, a line is denied if the expression names a program; if it does not, the line only may match.
 */
export function regexDenies(
  regex: Regex,
  { part }: CallFacts,
  { sure }: { readonly sure: boolean },
): boolean {
  if (part === null) return false;
  const { prefixes, suffix } = regex;
  const hasBlanks = part.words.some(({ text }) => text !== undefined && quoted(text) !== text);
  let left = MAX_TEXT;
  for (let from = 0; from < part.starts; from++) {
    const word = part.words[from]?.text;
    if (word === undefined) continue;
    const base = baseName(word);
    for (const name of base === word ? [word] : [word, base]) {
      if (!prefixes.some((prefix) => name.startsWith(prefix) || prefix.startsWith(`${name} `)))
        continue;
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
      (tail.endsWith(suffix) || suffix.endsWith(tail)) &&
      prefixes.some((prefix) => head.startsWith(prefix) || prefix.startsWith(head))
    );
  }
}

/** Whether an allow without `command` covers a command: nothing in it is hidden, and it has no effect beyond what the rule is about. */
export function blanketAllows(
  { part, line }: CallFacts,
  about: { readonly files: boolean; readonly network: boolean },
): boolean {
  if (part === null) return line === null;
  if (!part.plain || part.hazards.length > 0 || !coversOpen(part.words)) return false;
  if (!about.files && !about.network) return true;
  const { files, network } = about;
  return (
    !part.carries &&
    part.effects.every(
      ({ kind }) =>
        kind === "read" ||
        (files && (kind === "write" || kind === "delete")) ||
        (network && kind === "network"),
    )
  );
}
