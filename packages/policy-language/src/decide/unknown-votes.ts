import type { Effect, Verdict } from "@bylaw/kernel";
import { createDescendantLookup } from "../paths/descendants.ts";
import { FILE_CHANGES } from "../compile/effect-parts.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { quote } from "../load/finding.ts";
import { identify, textsOf, type Identity } from "../match/mcp.ts";
import { PrefixMap } from "../compile/prefix-map.ts";
import type { Rule } from "../compile/rule.ts";
import { appliesToTool } from "../compile/rule-tool.ts";
import type { Entry } from "./rule-matcher.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** The codes that a policy's vote may carry besides the kernel's own. */
export const POLICY_CODES = {
  unknown_server: "the name of an MCP tool does not come from exactly one registered server",
  unknown_path:
    "a file that the call names cannot be known, and a rule is about files of this tool",
} as const;

/** What the rules of a pool are about. Rules in shadow are about nothing. */
export interface PolicyScope {
  /** Shell tools that some rule is about. */
  readonly shell: ReadonlySet<string>;
  /** Whether a rule is about this tool, whatever else it asks for. */
  about(identity: Identity): boolean;
  /** Whether a rule is about files, and about this tool. */
  paths(identity: Identity): boolean;
  /** Whether a rule asks where the files of this tool lead. */
  resolves(identity: Identity): boolean;
  /** Whether a call about all below its places may reach what a deny or an ask names by folder. */
  below(facts: CallFacts): boolean;
  /** A deny or an ask has globs below this folder. */
  readonly needs: { readonly home: boolean; readonly workspace: boolean };
}

/** Finds what a pool's rules depend on. `marks`: the rules of marks, which decide nothing but need file paths. */
export function createPolicyScope(
  rules: readonly Rule[],
  tools: ToolTable,
  marks: readonly Rule[] = [],
): PolicyScope {
  const live = rules.filter(({ source }) => !source.shadow);
  const pathRules = live.filter(ofFiles);
  const strict = pathRules.filter(({ source }) => source.effect !== "allow");
  const globs = strict.flatMap(({ readPaths, writePaths }) => [
    ...(readPaths?.globs ?? []),
    ...(writePaths?.globs ?? []),
  ]);
  const about = (identity: Identity): boolean => live.some((rule) => appliesToTool(rule, identity));
  const shell = [...tools.shell.keys()].filter((tool) =>
    about(identify({ hook: "beforeToolCall", tool, args: {} })),
  );
  return {
    shell: new Set(shell),
    about,
    paths: pathScopeOf(pathRules),
    resolves: pathScopeOf([
      ...[...live, ...marks].filter(ofFiles),
      ...[...live, ...marks].filter(changesFiles),
    ]),
    below: createDescendantLookup(strict),
    needs: {
      home: globs.some(({ base }) => base === "home"),
      workspace: globs.some(({ base }) => base === "workspace"),
    },
  };
}

const ofFiles = ({ readPaths, writePaths }: Rule): boolean =>
  (readPaths ?? writePaths) !== undefined;

// Whether a change is inside the workspace depends on the real path.
const changesFiles = ({ effects }: Rule): boolean =>
  effects !== undefined &&
  [...FILE_CHANGES, "writes-outside" as const].some((name) => effects.has(name));

function pathScopeOf(pathRules: readonly Rule[]): PolicyScope["paths"] {
  const byPrefix = new PrefixMap<Rule[]>();
  const rest: Rule[] = [];
  for (const rule of pathRules) {
    if (rule.tools === undefined) rest.push(rule);
    else for (const { glob } of rule.tools) byPrefix.at(glob.prefix, () => []).push(rule);
  }
  return (identity) => {
    const found = { matched: rest.some((rule) => appliesToTool(rule, identity)) };
    for (const name of found.matched ? [] : textsOf(identity))
      byPrefix.visit(name, visitRules, identity, found);
    return found.matched;
  };
}

function visitRules(rules: readonly Rule[], identity: Identity, found: { matched: boolean }): void {
  if (!found.matched) found.matched = rules.some((rule) => appliesToTool(rule, identity));
}

/** The effect of what cannot be known, where it is stricter than what is decided already. */
function effectOf(decided: Effect | undefined, fallback: Effect | undefined): Effect | undefined {
  const effect = fallback === "deny" ? "deny" : "ask_user";
  return decided === "deny" || decided === effect ? undefined : effect;
}

const unknownCommand = (effect: Effect, what: string): Verdict => ({
  effect,
  code: "unknown_command",
  reason: `Cannot tell what this command line would do: ${what}`,
  fix: "Write out what only the shell would know, or run the commands one by one.",
});

/** The vote for a line that cannot be known as a whole. */
export function unknownLineVote(
  { identity, line }: CallFacts,
  scope: PolicyScope,
  fallback: Effect | undefined,
): Verdict | undefined {
  if (line?.unknown === undefined) return undefined;
  // None of its commands is shown to a rule, so it is denied whatever server the tool belongs to.
  if (line.tooLarge) return scope.about(identity) ? TOO_LARGE : undefined;
  if (identity.kind === "unresolved" || !scope.shell.has(identity.bare)) return undefined;
  return unknownCommand(fallback === "deny" ? "deny" : "ask_user", line.unknown);
}

/** The vote for a call with more commands, words and rules about them than are looked at: a denied one could hide in the rest. */
export const TOO_LARGE: Verdict = {
  effect: "deny",
  code: "unknown_command",
  reason: "This command line is too large to check against every rule.",
  fix: "Run fewer commands at once, and write long text with a file tool.",
};

/** The vote for a command that a deny or an ask may be about. */
export function possibleMatchVote(
  { part }: CallFacts,
  entry: Entry | undefined,
  decided: Effect | undefined,
  fallback: Effect | undefined,
): Verdict | undefined {
  const effect = entry === undefined ? undefined : effectOf(decided, fallback);
  if (entry === undefined || effect === undefined) return undefined;
  const { source, words, regex } = entry.rule;
  const about = `the rule ${quote(source.name)} may be about ${quote(part?.text ?? "")}`;
  return words === undefined && regex === undefined && (source.read ?? source.write) !== undefined
    ? { ...unknownCommand(effect, about), code: "unknown_path", fix: "Name the files one by one" }
    : unknownCommand(effect, about);
}

/**
 * The vote for what cannot be known of a call or of one command: never allow, never weaker than the default, and nothing where a
 * rule already decides as strictly.
 */
export function unknownOf(
  facts: CallFacts,
  scope: PolicyScope,
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
      reason: `Cannot tell which MCP server the tool ${quote(call.tool)} belongs to.`,
      fix: "Let the host name the server, and register its tools",
    };
  }
  if (part?.unknown !== undefined && scope.shell.has(identity.bare))
    return unknownCommand(effect, part.unknown);
  const why = unknownPathOf(facts, scope, decided) ?? below(facts, scope, decided, fallback);
  if (why === undefined) return undefined;
  return {
    effect,
    code: "unknown_path",
    reason: `Cannot tell which files this call uses: ${why}`,
    fix: "Give an absolute path, or one relative to the working directory",
  };
}

function unknownPathOf(
  facts: CallFacts,
  scope: PolicyScope,
  decided: Effect | undefined,
): string | undefined {
  const { identity, tools } = facts;
  // A tool that the tables do not know: its arguments only look like paths, so a rule that names the tool goes first.
  const guessed =
    identity.kind !== "local" ||
    (!tools.files.has(identity.bare) && !tools.shell.has(identity.bare));
  if ((guessed && decided !== undefined) || !scope.paths(identity)) return undefined;
  const { unknown, known } = facts.paths;
  if (unknown !== undefined) return unknown;
  // Where a call only may name a place, a missing folder says nothing about it.
  return known.some(({ places }) => places.length > 0) ? missingFolder(facts, scope) : undefined;
}

function below(
  facts: CallFacts,
  scope: PolicyScope,
  decided: Effect | undefined,
  fallback: Effect | undefined,
): string | undefined {
  const { identity, call } = facts;
  if (identity.kind !== "local" || !scope.paths(identity) || !facts.paths.recursive)
    return undefined;
  // Nobody allows it: it is asked about anyway.
  if (decided === undefined && fallback !== "allow" && (call.approval_mode ?? "ask") === "ask")
    return undefined;
  return scope.below(facts) ? "a rule denies or asks about something below this folder" : undefined;
}

function missingFolder({ paths }: CallFacts, { needs }: PolicyScope): string | undefined {
  if (needs.home && paths.home === undefined) return "the home folder is unknown";
  if (needs.workspace && paths.workspace === undefined) return "the workspace is unknown";
  return undefined;
}
