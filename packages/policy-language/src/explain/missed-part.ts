import type { Json } from "@bylaw/kernel";
import { reach } from "../match/arguments.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { pastText, referenceText } from "../marks/after.ts";
import { earlierMarksOf } from "../marks/earlier-marks.ts";
import { quote } from "../load/finding.ts";
import type { Rule, RuleSource } from "../compile/rule.ts";

/** The first condition of a rule that fails, and why. */
interface Miss {
  /** The value that the rule requires. */
  readonly expected: string;
  /** The value that the call has. */
  readonly actual: string;
  /** Whether the rule is about other tools, so that no arguments can make it match. */
  readonly elsewhere?: true;
}

/** Describes what a condition requires and what the call has. `parts` are the facts of each command of a line, or of the call alone. */
export function describeMiss({ source }: Rule, key: string, parts: readonly CallFacts[]): Miss {
  const [facts] = parts;
  if (facts === undefined) return { expected: requirementText(source, key), actual: "nothing" };
  const elsewhere = isElsewhere(key, parts);
  return {
    expected: requirementText(source, key),
    actual: givenBy(key, facts, parts, source),
    ...(elsewhere ? { elsewhere } : {}),
  };
}

const list = (items: readonly string[] | undefined): string => (items ?? []).map(quote).join(", ");

/** Describes what a condition of a rule requires. */
export function requirementText(source: RuleSource, key: string): string {
  switch (key) {
    case "tool":
      return source.tool === undefined ? "a tool of the host itself" : quote(source.tool);
    case "command":
      return source.command === undefined
        ? "a command without any effect that the rule does not cover"
        : list(source.command);
    case "command_regex":
      return quote(source.command_regex ?? "");
    case "paths": {
      const { read, write } = source;
      if (read === write) return list(read);
      return [
        ...(read === undefined ? [] : [`read ${list(read)}`]),
        ...(write === undefined ? [] : [`write ${list(write)}`]),
      ].join("; ");
    }
    case "server":
      return quote(source.server ?? "");
    case "network":
    case "effects":
    case "agent":
    case "phase":
    case "modes":
      return list(source[key]);
    case "interactive":
      return quote(String(source.interactive));
    case "input":
      return "a command that the line gives nothing to read";
    case "git_ignored":
      return "paths that git ignores and does not track";
    case "when":
      return quote(JSON.stringify(source.when));
    case "after":
    case "unless_after":
      return referenceText(source[key]);
    default:
      return quote(JSON.stringify(source.args?.[key.replace(/^args\./, "")] ?? null));
  }
}

function givenBy(
  key: string,
  facts: CallFacts,
  parts: readonly CallFacts[],
  source: RuleSource,
): string {
  const { call, identity } = facts;
  switch (key) {
    case "tool":
      if (identity.kind === "unresolved")
        return `${quote(call.tool)}, which does not belong to exactly one registered server`;
      return identity.kind === "mcp"
        ? `${quote(identity.bare)} of server ${quote(identity.server ?? "")}`
        : quote(identity.bare);
    case "server":
      return identity.server === undefined ? "a tool without a server" : quote(identity.server);
    case "command":
    case "command_regex":
      return commandsOf(facts, parts);
    case "effects":
      return effectsIn(facts, parts);
    case "paths":
      return pathsOf(parts);
    case "network":
      return hostsOf(facts, parts);
    case "agent":
    case "phase":
      return call[key] === undefined ? "none" : quote(call[key]);
    case "modes":
      return quote(call.approval_mode ?? "ask");
    case "interactive":
      return quote(String(call.interactive !== false));
    case "input":
      return "input from a pipe, a file or a here-document";
    case "git_ignored":
      return "a path for which that is not certain";
    case "when":
      return "a call that does not satisfy it";
    case "after":
    case "unless_after":
      return earlierMarksOf(facts)?.recorded === true ? pastText(source, facts) : "no run";
    default: {
      const name = key.replace(/^args\./, "");
      const value: Json | undefined =
        facts.args === undefined ? undefined : reach(facts.args, name.split("."));
      return value === undefined ? `no argument ${quote(name)}` : quote(JSON.stringify(value));
    }
  }
}

function commandsOf({ line }: CallFacts, parts: readonly CallFacts[]): string {
  if (line === null) return "no shell line";
  const texts = [
    ...new Set(
      parts.flatMap(({ part }) => (part === null || part.words.length === 0 ? [] : [part.text])),
    ),
  ];
  const unknown =
    line.unknown ?? parts.find(({ part }) => part?.unknown !== undefined)?.part?.unknown;
  const commands = texts.length === 0 ? "no command" : some(texts);
  return unknown === undefined ? commands : `${commands}; not known: ${unknown}`;
}

function effectsIn({ line }: CallFacts, parts: readonly CallFacts[]): string {
  if (line === null) return "no shell line";
  const names = new Set(parts.flatMap(({ part }) => [...(part?.named.names ?? [])]));
  return names.size === 0 ? "none" : list([...names]);
}

function pathsOf(parts: readonly CallFacts[]): string {
  const places = parts.flatMap(({ paths }) =>
    paths.known.flatMap(({ access, places: [place] }) =>
      place === undefined ? [] : [[access, `/${place.segments.join("/")}`] as const],
    ),
  );
  const unknown = parts.find(({ paths }) => paths.unknown !== undefined)?.paths.unknown;
  const texts = [
    ...new Set(
      places.map(([access, place]) => `${access === "both" ? "" : `${access} `}${quote(place)}`),
    ),
  ];
  const known =
    texts.length === 0
      ? "no file"
      : texts.length > 4
        ? `${texts.slice(0, 4).join(", ")} and ${texts.length - 4} more`
        : texts.join(", ");
  return unknown === undefined ? known : `${known}; not known: ${unknown}`;
}

function hostsOf({ args, tools, identity }: CallFacts, parts: readonly CallFacts[]): string {
  const argument = tools.network.get(identity.bare);
  const url = argument === undefined ? undefined : args?.[argument];
  if (url !== undefined) return quote(typeof url === "string" ? url : JSON.stringify(url));
  const hosts = parts.flatMap(({ part }) =>
    (part?.effects ?? []).flatMap((effect) =>
      effect.kind === "network" ? [effect.host ?? "an unknown host"] : [],
    ),
  );
  return hosts.length === 0 ? "no host" : some(hosts);
}

const some = (texts: readonly string[]): string =>
  texts.length > 4 ? `${list(texts.slice(0, 4))} and ${texts.length - 4} more` : list(texts);

function isElsewhere(key: string, parts: readonly CallFacts[]): boolean {
  const [facts] = parts;
  if (key === "tool" || key === "server") return true;
  if (key === "command" || key === "command_regex" || key === "effects")
    return facts?.line === null;
  if (key === "paths") return pathsOf(parts) === "no file";
  return key === "network" && facts !== undefined && hostsOf(facts, parts) === "no host";
}
