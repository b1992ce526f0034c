import type { Json, ToolCall } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import type { TomlTable } from "../import/toml.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { shown } from "../match/command-text.ts";
import type { LinePart } from "../match/shell-line.ts";
import { plainUrl } from "../match/url.ts";
import { withInput } from "./line-input.ts";
import { globOf, pathGlobOf, wordGlobOf } from "./spelled-out.ts";

/** The narrowest rule that covers a call, or the reason why there is none. */
export type NarrowRule =
  | { readonly asks: TomlTable; readonly why?: undefined }
  | { readonly asks?: undefined; readonly why: string };

/** Builds a rule that spells out the uncovered parts of a call. `open`: the commands of its line that no rule covers. */
export function narrowRule(facts: CallFacts, open: readonly CallFacts[]): NarrowRule {
  const { call, identity, tools } = facts;
  if (identity.kind === "unresolved")
    return { why: `Cannot tell which MCP server the tool ${quote(call.tool)} belongs to` };
  const own = identity.kind === "local";
  const asked =
    facts.line !== null
      ? ofLine(facts, open)
      : own && tools.files.has(identity.bare)
        ? ofFiles(facts)
        : own && tools.network.has(identity.bare)
          ? ofUrl(facts)
          : ofArguments(call);
  if (asked.asks === undefined) return asked;
  return {
    asks: {
      ...(identity.server === undefined ? {} : { server: globOf(identity.server) }),
      tool: globOf(identity.bare),
      ...asked.asks,
      ...(call.agent === undefined ? {} : { agent: globOf(call.agent) }),
      ...(call.phase === undefined ? {} : { phase: globOf(call.phase) }),
    },
  };
}

function ofLine({ line }: CallFacts, open: readonly CallFacts[]): NarrowRule {
  if (line?.unknown !== undefined) return { why: unknownText(line.unknown) };
  const patterns = new Set<string>();
  for (const { part } of open) {
    if (part === null) continue;
    const why = whyOpen(part);
    if (why !== undefined) return { why };
    patterns.add(part.words.map(({ text = "" }) => wordGlobOf(text)).join(" "));
  }
  const [only, ...more] = patterns;
  if (only === undefined) return { why: "Rules already cover every command of the line" };
  return reading({ command: more.length === 0 ? only : [...patterns], ...placesOf(open) }, open);
}

function reading(asks: TomlTable, open: readonly CallFacts[]): NarrowRule {
  const found = withInput(asks, open);
  return typeof found === "string" ? { why: found } : { asks: found };
}

// The same words name other files in another folder, or once a link has changed.
const placesOf = (open: readonly CallFacts[]): TomlTable =>
  open.every(
    ({ paths, part }) => paths.unknown === undefined && !paths.doubtful && part?.remote === false,
  )
    ? globsOf(open)
    : {};

/** The files of commands as `paths` of a rule. Nothing if they use none. */
function globsOf(parts: readonly CallFacts[]): TomlTable {
  const lists = (["read", "write"] as const).flatMap((access) => {
    const globs = parts.flatMap(({ paths }) =>
      paths.known
        .filter((one) => one.access === access || one.access === "both")
        .flatMap(({ all, region }) =>
          all.map((place) =>
            pathGlobOf(place, paths, { below: paths.recursive || region !== undefined }),
          ),
        ),
    );
    const kept = [...new Set(globs)].filter((glob) => !globs.some((other) => isBelow(glob, other)));
    return kept.length === 0 ? [] : [[access, kept] as const];
  });
  return lists.length === 0 ? {} : { paths: Object.fromEntries(lists) };
}

const unknownText = (what: string): string =>
  `Cannot tell what this command line would do: ${what}`;

/** Why a pattern cannot cover exactly this command. Undefined if one can. */
export function whyOpen(part: LinePart): string | undefined {
  if (part.unknown !== undefined) return unknownText(part.unknown);
  const unknown = part.words.find(({ text, single }) => text === undefined || !single);
  if (unknown !== undefined)
    return `Only the shell knows what ${quote(shown(unknown))} becomes in ${quote(part.text)}, so no rule can spell it out`;
  if (part.variable !== undefined)
    return `The line sets ${quote(part.variable)} for ${quote(part.text)}, which an allow with \`command\` cannot cover`;
  if (!part.writesOutput)
    return `The output of ${quote(part.text)} goes over a network connection, which an allow with \`command\` cannot cover`;
  const [program] = part.words;
  return program === undefined || part.words.some(({ text }) => text === "")
    ? `${quote(part.text)} has an empty word, which no pattern can spell out`
    : undefined;
}

function ofFiles(facts: CallFacts): NarrowRule {
  const { paths, call } = facts;
  const { unknown, doubtful } = paths;
  if (unknown !== undefined || doubtful)
    return {
      why: `Cannot tell which files this call uses: ${unknown ?? "a path with a second reading"}`,
    };
  const asks = globsOf([facts]);
  return asks["paths"] === undefined ? ofArguments(call) : { asks };
}

const isBelow = (glob: string, folder: string): boolean =>
  glob !== folder && folder.endsWith("/**") && glob.startsWith(folder.slice(0, -2));

function ofUrl({ call, tools, identity, args }: CallFacts): NarrowRule {
  const name = tools.network.get(identity.bare) ?? "";
  const url = args?.[name];
  const host = typeof url === "string" ? plainUrl(url)?.hostname : undefined;
  if (typeof url !== "string" || host === undefined)
    return { why: `\`${name}\` is not a plain URL with one reading, so no rule can spell it out` };
  const asked = ofArguments(call);
  return asked.asks === undefined ? asked : { asks: { network: host, ...asked.asks } };
}

// No one reviews a longer text before pasting it.
const MAX_CHARACTERS = 1_000;

function ofArguments({ args, tool }: ToolCall): NarrowRule {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return { why: `The arguments of ${quote(tool)} have no names, so no rule can spell them out` };
  const conditions: Record<string, TomlTable> = {};
  for (const [name, value] of Object.entries(args)) {
    if (name === "" || name.includes(".") || !isTomlValue(value))
      return { why: `No rule can spell out the argument ${quote(name)}` };
    conditions[name] = value === null ? { type: "null" } : { eq: value as TomlTable };
  }
  if (JSON.stringify(conditions).length > MAX_CHARACTERS)
    return { why: `The arguments of ${quote(tool)} are too long to spell out` };
  return { asks: Object.keys(conditions).length === 0 ? {} : { args: conditions } };
}

const isTomlValue = (value: Json | undefined, depth = 0): boolean =>
  depth === 0 && value === null
    ? true
    : value !== null &&
      (typeof value !== "object" ||
        Object.values(value).every((item) => isTomlValue(item, depth + 1)));
