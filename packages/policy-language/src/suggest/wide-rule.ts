import type { CallFacts } from "../match/call-facts.ts";
import type { LinePart } from "../match/shell-line.ts";
import { Place } from "../paths/place.ts";
import { withInput } from "./line-input.ts";
import { narrowRule, whyOpen, type NarrowRule } from "./narrow-rule.ts";
import { pathGlobOf, wordGlobOf } from "./spelled-out.ts";

/** A word of a command pattern that is no option. */
const OPERAND = "[!-]*";

/**
 * Calls with equal shapes differ only in the files that they read or write. Undefined if the call is no shell line whose words are
 * known, and uses no file tool: then only an equal call is alike.
 */
export function shapeOf({
  call,
  identity,
  line,
  tools,
  perCommand,
}: CallFacts): string | undefined {
  const { agent = null, phase = null, tool, server = null } = call;
  if (line === null)
    return identity.kind === "local" && tools.files.has(identity.bare)
      ? JSON.stringify([agent, phase, tool])
      : undefined;
  const parts = perCommand.map(({ part }) => part);
  if (line.unknown !== undefined || parts.some((part) => part?.plain !== true || whyOpen(part)))
    return undefined;
  const words = parts.map((part) => (part === null ? [] : holedWords(part)));
  return JSON.stringify([agent, phase, tool, server, words]);
}

// The words of a command, with null for each file that it reads or writes.
const holedWords = (part: LinePart): readonly (string | null)[] => {
  const files = new Set(
    part.effects.flatMap((effect) =>
      (effect.kind === "read" || effect.kind === "write") &&
      effect.path.text !== undefined &&
      effect.path.pattern === undefined
        ? [effect.path.text]
        : [],
    ),
  );
  return part.words.map(({ text = "" }, at) =>
    at > 0 && !text.startsWith("-") && files.has(text.replace(/^\.\/+/, "")) ? null : text,
  );
};

interface OpenCall {
  readonly facts: CallFacts;
  /** The commands of the line that no rule covers. */
  readonly open: readonly CallFacts[];
}

/** Builds a rule that covers calls of one shape: their words and effects, in the folders that their files have in common. */
export function wideRule(calls: readonly OpenCall[]): NarrowRule {
  const [first] = calls;
  if (first === undefined) return { why: "There is no call" };
  const narrow = narrowRule(first.facts, first.open);
  if (narrow.asks === undefined) return narrow;
  const parts = calls.flatMap(({ facts, open }) => (facts.line === null ? [facts] : open));
  const paths = commonFolders(parts);
  if (typeof paths === "string") return { why: paths };
  const { command, paths: _, input: _input, ...others } = narrow.asks;
  if (command === undefined) return { asks: { ...others, paths } };
  const effects = new Set(parts.flatMap(({ part }) => [...(part?.named.names ?? [])]));
  if (effects.has("unknown")) return { why: "Not everything that these commands do is known" };
  const patterns = new Set(parts.flatMap(({ part }) => (part === null ? [] : [patternOf(part)])));
  const [only = "", ...more] = patterns;
  const asks = withInput(
    {
      ...others,
      command: more.length === 0 ? only : [...patterns],
      effects: [...effects],
      ...(Object.keys(paths).length === 0 ? {} : { paths }),
    },
    parts,
  );
  return typeof asks === "string" ? { why: asks } : { asks };
}

const patternOf = (part: LinePart): string =>
  holedWords(part)
    .map((word) => (word === null ? OPERAND : wordGlobOf(word)))
    .join(" ");

type Globs = { readonly [access: string]: readonly string[] };

// For each kind of access, a glob for the files of one folder, or for everything below the folder that they have in common.
function commonFolders(parts: readonly CallFacts[]): Globs | string {
  const globs: Record<string, readonly string[]> = {};
  for (const access of ["read", "write"] as const) {
    const places = parts.flatMap(({ paths }) =>
      paths.known.flatMap((one) => (one.access === access || one.access === "both" ? one.all : [])),
    );
    const [first] = parts;
    if (places.length === 0 || first === undefined) continue;
    const { workspace } = first.paths;
    const folders = places.map(({ segments }) => segments.slice(0, -1));
    const common = folders.reduce((one, other) => {
      const end = one.findIndex((name, at) => name !== other[at]);
      return end === -1 ? one : one.slice(0, end);
    });
    const folder = new Place(common);
    if (workspace === undefined || !folder.isBelow(workspace))
      return "The files of these calls have no folder of the workspace in common";
    const same = folders.every((one) => one.length === common.length);
    const recursive = parts.some(
      ({ paths }) => paths.recursive || paths.known.some(({ region }) => region !== undefined),
    );
    const glob = pathGlobOf(folder, first.paths, { below: true });
    globs[access] = [same && !recursive ? glob.replace(/\*\*$/, "*") : glob];
  }
  return globs;
}
