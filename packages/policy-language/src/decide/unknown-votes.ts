import type { Effect, Verdict } from "@bylaw/kernel";
import { createDescendantLookup } from "../paths/descendants.ts";
import { FILE_CHANGES, OUTSIDE } from "../compile/effect-parts.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { quote } from "../load/finding.ts";
import { leadingGlob } from "../match/leading-glob.ts";
import { identify, textsOf, type Identity } from "../match/mcp.ts";
import { PrefixMap } from "../compile/prefix-map.ts";
import type { Rule } from "../compile/rule.ts";
import { appliesToTool } from "../compile/rule-tool.ts";
import type { Entry } from "./rule-matcher.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** The codes that a policy's vote may carry, in addition to those of the kernel. */
export const POLICY_CODES = {
  unknown_server: "the name of an MCP tool does not come from exactly one registered server",
  unknown_path: "it is unknown which files the call uses, and a rule is about files of this tool",
} as const;

/** Which tools and files the rules of a pool are about. Rules in shadow do not count. */
export interface PolicyScope {
  /** The shell tools that some rule is about. */
  readonly shell: ReadonlySet<string>;
  /** Whether some rule is about this tool, whatever its other conditions are. */
  about(identity: Identity): boolean;
  /** Whether some rule is about this tool and about files. */
  paths(identity: Identity): boolean;
  /** Whether some rule needs the real paths of this tool's files. */
  resolves(identity: Identity): boolean;
  /** Whether a call that includes everything below a folder may reach a folder that a deny or an ask names. */
  below(facts: CallFacts): boolean;
  /** Whether a deny or an ask has globs relative to this folder. */
  needs(base: "home" | "workspace"): boolean;
}

/** Computes the scope of a pool's rules. `marks` are the rules that set marks: they decide nothing but need real paths. */
export function createPolicyScope(
  rules: readonly Rule[],
  tools: ToolTable,
  marks: readonly Rule[] = [],
): PolicyScope {
  const live = rules.filter(({ source }) => !source.shadow);
  const pathRules = live.filter(ofFiles);
  const strict = pathRules.filter(({ source }) => source.effect !== "allow");
  const needs: PolicyScope["needs"] = (base) =>
    strict.some(({ readPaths, writePaths }) =>
      [readPaths, writePaths].some((set) => set?.globs.some((glob) => glob.base === base)),
    );
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
    needs,
  };
}

const ofFiles = ({ readPaths, writePaths }: Rule): boolean =>
  (readPaths ?? writePaths) !== undefined;

// Only the real path tells whether a change, or what runs, is inside the workspace.
const changesFiles = ({ effects }: Rule): boolean =>
  effects !== undefined && [...FILE_CHANGES, ...OUTSIDE].some((name) => effects.has(name));

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

/** Returns the effect of something unknown. Undefined if the decision is already as strict. */
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

/** Returns the vote for a shell line that cannot be understood as a whole. */
export function unknownLineVote(
  { identity, line }: CallFacts,
  scope: PolicyScope,
  fallback: Effect | undefined,
): Verdict | undefined {
  if (line?.unknown === undefined) return undefined;
  // No rule has seen any of its commands, so it is denied whatever server the tool belongs to.
  if (line.tooLarge) return scope.about(identity) ? TOO_LARGE : undefined;
  if (identity.kind === "unresolved" || !scope.shell.has(identity.bare)) return undefined;
  return unknownCommand(fallback === "deny" ? "deny" : "ask_user", line.unknown);
}

/** The vote for a call whose commands, words and rules exceed the limit of work: the unread rest could hide a denied command. */
export const TOO_LARGE: Verdict = {
  effect: "deny",
  code: "unknown_command",
  reason: "This command line is too large to check against every rule.",
  fix: "Run fewer commands at once, and write long text with a file tool.",
};

/** Returns the vote for a command that a deny or an ask may be about. */
export function possibleMatchVote(
  facts: CallFacts,
  entry: Entry | undefined,
  decided: Effect | undefined,
  fallback: Effect | undefined,
): Verdict | undefined {
  const effect = entry === undefined ? undefined : effectOf(decided, fallback);
  if (entry === undefined || effect === undefined) return undefined;
  const { part } = facts;
  const { source, words, regex } = entry.rule;
  const file = possibleFile(facts, entry.rule);
  if (part === null) return searchVote(effect, source.name, file);
  const about = `the rule ${quote(source.name)} may be about ${quote(part.text)}`;
  const vote = unknownCommand(
    effect,
    file === undefined ? about : `${about}, which may use ${file}`,
  );
  const glob = leadingGlob(part.words);
  const fix =
    glob && `Write ${quote(glob.safe)} for ${quote(glob.written)}, or name the files one by one.`;
  return words === undefined && regex === undefined && (source.read ?? source.write) !== undefined
    ? { ...vote, code: "unknown_path", fix: fix ?? "Name the files one by one" }
    : { ...vote, ...(fix === undefined ? {} : { fix }) };
}

const searchVote = (effect: Effect, rule: string, file = "a file"): Verdict => ({
  effect,
  code: "unknown_path",
  reason: `This search may print ${file}, which the rule ${quote(rule)} is about.`,
  fix: "Search other folders or files, for example with a glob such as `*.ts`.",
});

// A file that the command may use and that the rule is about.
function possibleFile({ paths }: CallFacts, { readPaths, writePaths }: Rule): string | undefined {
  const file = paths.known
    .flatMap(({ maybe }) => maybe)
    .find((place) => [readPaths, writePaths].some((globs) => globs?.covers(place, paths)));
  if (file === undefined) return undefined;
  const { workspace } = paths;
  const isInside = workspace !== undefined && file.isBelow(workspace);
  const names = isInside ? file.segments.slice(workspace.segments.length) : ["", ...file.segments];
  return quote(names.join("/"));
}

/**
 * Returns the vote for a call or command that is partly unknown. It never allows and is never weaker than the
 * default. Undefined if a rule already decides as strictly.
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
  // The arguments of an unknown tool only look like paths, so a rule that names the tool takes precedence.
  const guessed =
    identity.kind !== "local" ||
    (!tools.files.has(identity.bare) && !tools.shell.has(identity.bare));
  if ((guessed && decided !== undefined) || !scope.paths(identity)) return undefined;
  const { unknown, known } = facts.paths;
  if (unknown !== undefined) return unknown;
  // If the call only may name a path, a missing folder is not the reason to report.
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
  // With this mode and fallback, the call is asked about anyway.
  if (decided === undefined && fallback !== "allow" && (call.approval_mode ?? "ask") === "ask")
    return undefined;
  return scope.below(facts) ? "a rule denies or asks about something below this folder" : undefined;
}

function missingFolder({ paths }: CallFacts, scope: PolicyScope): string | undefined {
  if (paths.home === undefined && scope.needs("home")) return "the home folder is unknown";
  if (paths.workspace === undefined && scope.needs("workspace")) return "the workspace is unknown";
  return undefined;
}
