import type { Effect, Verdict } from "@bylaw/kernel";
import { createBelow } from "./below.ts";
import type { CallFacts } from "./facts.ts";
import { quote, withoutArticle } from "./finding.ts";
import { identify, textsOf, type Identity } from "./mcp.ts";
import { PrefixMap } from "./prefix-map.ts";
import { speaksOf, type Rule } from "./rule.ts";
import type { Entry } from "./tally.ts";
import type { ToolTable } from "./tools.ts";

/** The codes that a policy's vote may carry besides the kernel's own. */
export const POLICY_CODES = {
  unknown_server: "the name of an MCP tool does not come from exactly one registered server",
  unknown_path: "a file that the call names cannot be known, and a rule is about files of this tool",
} as const;

/** What the rules of a pool are about. Rules in shadow are about nothing. */
export interface Concerns {
  /** Shell tools that some rule is about. */
  readonly shell: ReadonlySet<string>;
  /** Whether a rule is about files, and about this tool. */
  paths(identity: Identity): boolean;
  /** Whether a call about all below its places may reach what a deny or an ask names by folder. */
  below(facts: CallFacts): boolean;
  /** A deny or an ask has globs below this folder. */
  readonly needs: { readonly home: boolean; readonly workspace: boolean };
}

/** Works out what a pool is about. */
export function createConcerns(rules: readonly Rule[], tools: ToolTable): Concerns {
  const live = rules.filter(({ source }) => !source.shadow);
  const pathRules = live.filter(({ readPaths, writePaths }) => readPaths !== undefined || writePaths !== undefined);
  const strict = pathRules.filter(({ source }) => source.effect !== "allow");
  const globs = strict.flatMap(({ readPaths, writePaths }) => [...(readPaths ?? []), ...(writePaths ?? [])]);
  const shell = [...tools.shell.keys()].filter((tool) => {
    const identity = identify({ hook: "beforeToolCall", tool, args: {} });
    return live.some((rule) => speaksOf(rule, identity));
  });
  return {
    shell: new Set(shell),
    paths: concernOf(pathRules),
    below: createBelow(strict),
    needs: { home: globs.some(({ base }) => base === "home"), workspace: globs.some(({ base }) => base === "workspace") },
  };
}

function concernOf(pathRules: readonly Rule[]): Concerns["paths"] {
  const byPrefix = new PrefixMap<Rule[]>();
  const rest: Rule[] = [];
  for (const rule of pathRules) {
    if (rule.tools === undefined) rest.push(rule);
    else for (const { glob } of rule.tools) byPrefix.at(glob.prefix, () => []).push(rule);
  }
  return (identity) => {
    const found = { matched: rest.some((rule) => speaksOf(rule, identity)) };
    for (const name of found.matched ? [] : textsOf(identity)) byPrefix.visit(name, visitConcern, identity, found);
    return found.matched;
  };
}

function visitConcern(rules: readonly Rule[], identity: Identity, found: { matched: boolean }): void {
  if (!found.matched) found.matched = rules.some((rule) => speaksOf(rule, identity));
}

/** The effect of what cannot be known, where it is stricter than what is decided already. */
function effectOf(decided: Effect | undefined, fallback: Effect | undefined): Effect | undefined {
  const effect = fallback === "deny" ? "deny" : "ask_user";
  return decided === "deny" || decided === effect ? undefined : effect;
}

const unknownCommand = (effect: Effect, what: string): Verdict => ({
  effect,
  code: "unknown_command",
  reason: `Unexpected ${withoutArticle(what)}, expected a line that can be known before it runs`,
  fix: "write out what only the shell would know, or run the commands one by one",
});

/** The vote for a line that cannot be known as a whole. */
export function unknownLine({ identity, line }: CallFacts, concerns: Concerns, fallback: Effect | undefined): Verdict | undefined {
  if (line?.unknown === undefined || identity.kind === "unresolved" || !concerns.shell.has(identity.bare)) return undefined;
  return unknownCommand(fallback === "deny" ? "deny" : "ask_user", line.unknown);
}

/** The vote for a call with more commands, words and rules about them than are looked at. */
export const tooMuch = (fallback: Effect | undefined): Verdict =>
  unknownCommand(fallback === "deny" ? "deny" : "ask_user", "line with more to compare with the rules than is looked at");

/** The vote for a command that a deny or an ask may be about. */
export function doubtOf(
  { part }: CallFacts,
  entry: Entry | undefined,
  decided: Effect | undefined,
  fallback: Effect | undefined,
): Verdict | undefined {
  const effect = entry === undefined ? undefined : effectOf(decided, fallback);
  if (entry === undefined || effect === undefined) return undefined;
  const { source, words, regex } = entry.rule;
  const about = `command ${quote(part?.text ?? "")} that rule ${quote(source.name)} may be about`;
  return words === undefined && regex === undefined && (source.read ?? source.write) !== undefined
    ? { ...unknownCommand(effect, about), code: "unknown_path", fix: "name the files one by one" }
    : unknownCommand(effect, about);
}

/**
 * The vote for what cannot be known of a call or of one command: never allow, never weaker than the default, and nothing where a
 * rule already decides as strictly.
 */
export function unknownOf(
  facts: CallFacts,
  concerns: Concerns,
  decided: Effect | undefined,
  fallback: Effect | undefined,
): Verdict | undefined {
  const effect = effectOf(decided, fallback);
  if (effect === undefined) return undefined;
  const { identity, call, part } = facts;
  if (identity.kind === "unresolved") {
    return {
      effect,
      code: "unknown_server",
      reason: `Unexpected tool ${quote(call.tool)}, expected one of exactly one registered MCP server`,
      fix: "let the host name the server, and register its tools",
    };
  }
  if (part?.unknown !== undefined && concerns.shell.has(identity.bare)) return unknownCommand(effect, part.unknown);
  const why = unknownPathOf(facts, concerns, decided) ?? below(facts, concerns, decided, fallback);
  if (why === undefined) return undefined;
  return {
    effect,
    code: "unknown_path",
    reason: `Unexpected ${withoutArticle(why)}, expected a path that can be known`,
    fix: "give an absolute path, or one relative to the working directory",
  };
}

function unknownPathOf(facts: CallFacts, concerns: Concerns, decided: Effect | undefined): string | undefined {
  const { identity, tools } = facts;
  // A tool that the tables do not know: its arguments only look like paths, so a rule that names the tool goes first.
  const guessed = identity.kind !== "local" || (!tools.files.has(identity.bare) && !tools.shell.has(identity.bare));
  if ((guessed && decided !== undefined) || !concerns.paths(identity)) return undefined;
  const { unknown, known } = facts.paths;
  if (unknown !== undefined) return unknown;
  // Where a call only may name a place, a missing folder says nothing about it.
  return known.some(({ places }) => places.length > 0) ? missingFolder(facts, concerns) : undefined;
}

function below(facts: CallFacts, concerns: Concerns, decided: Effect | undefined, fallback: Effect | undefined): string | undefined {
  const { identity, call } = facts;
  if (identity.kind !== "local" || !concerns.paths(identity) || !facts.paths.recursive) return undefined;
  // Nobody allows it: it is asked about anyway.
  if (decided === undefined && fallback !== "allow" && (call.approval_mode ?? "ask") === "ask") return undefined;
  return concerns.below(facts) ? "folder with something below it that a rule denies or asks about" : undefined;
}

function missingFolder({ paths }: CallFacts, { needs }: Concerns): string | undefined {
  if (needs.home && paths.home === undefined) return "path while the home folder is unknown";
  if (needs.workspace && paths.workspace === undefined) return "path while the workspace is unknown";
  return undefined;
}
