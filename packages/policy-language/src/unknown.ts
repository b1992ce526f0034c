import type { Effect, Verdict } from "@bylaw/kernel";
import type { CallFacts } from "./facts.ts";
import { quote } from "./finding.ts";
import { speaksOf, type Rule } from "./rule.ts";
import type { ToolTable } from "./tools.ts";

/** The codes that a policy's vote may carry besides the kernel's own. */
export const POLICY_CODES = {
  unknown_server: "the name of an MCP tool does not come from exactly one registered server",
  unknown_path: "a file that the call names cannot be known, and a rule is about files of this tool",
} as const;

/** What the rules of a pool are about, by tool. */
export interface Concerns {
  /** Shell tools that some rule speaks of. */
  readonly shell: ReadonlySet<string>;
  /** Tools with a rule about their files. */
  readonly paths: ReadonlySet<string>;
  /** A deny or an ask has globs below this folder. */
  readonly needs: { readonly home: boolean; readonly workspace: boolean };
  readonly pathRules: readonly Rule[];
}

/** Works out what a pool is about. Rules in shadow speak of nothing. */
export function createConcerns(rules: readonly Rule[], tools: ToolTable): Concerns {
  const live = rules.filter(({ source }) => !source.shadow);
  const pathRules = live.filter(({ readPaths, writePaths }) => readPaths !== undefined || writePaths !== undefined);
  const strict = pathRules.filter(({ source }) => source.effect !== "allow");
  const globs = strict.flatMap(({ readPaths, writePaths }) => [...(readPaths ?? []), ...(writePaths ?? [])]);
  const about = (list: readonly Rule[], names: Iterable<string>): readonly string[] =>
    [...names].filter((tool) => list.some((rule) => speaksOf(rule, { tool })));
  return {
    shell: new Set(about(live, tools.shell.keys())),
    paths: new Set(about(pathRules, [...tools.files.keys(), ...tools.shell.keys()])),
    needs: { home: globs.some(({ base }) => base === "home"), workspace: globs.some(({ base }) => base === "workspace") },
    pathRules,
  };
}

/**
 * The vote for what cannot be known: never allow, never weaker than the default, and nothing where a rule already decides as
 * strictly.
 */
export function unknownOf(
  facts: CallFacts,
  concerns: Concerns,
  decided: Effect | undefined,
  fallback: Effect | undefined,
): Verdict | undefined {
  if (decided === "deny") return undefined;
  const effect = fallback === "deny" ? "deny" : "ask_user";
  if (decided === effect) return undefined;
  const { identity, call } = facts;
  if (identity.kind === "unresolved") {
    return {
      effect,
      code: "unknown_server",
      reason: `Unexpected tool ${quote(call.tool)}, expected one of exactly one registered MCP server`,
      fix: "let the host name the server, and register its tools",
    };
  }
  if (concerns.shell.has(identity.bare) && facts.command !== null && "unknown" in facts.command.reading) {
    return {
      effect,
      code: "unknown_command",
      reason: `Unexpected ${facts.command.reading.unknown}, expected one simple command that can be read`,
      fix: "run one plain command, without quotes, operators and wrappers",
    };
  }
  const why = unknownPathOf(facts, concerns, decided);
  if (why === undefined) return undefined;
  return {
    effect,
    code: "unknown_path",
    reason: `Unexpected ${why}, expected a path that can be known`,
    fix: "give an absolute path, or one relative to the working directory",
  };
}

function unknownPathOf(facts: CallFacts, concerns: Concerns, decided: Effect | undefined): string | undefined {
  if (concerns.pathRules.length === 0) return undefined;
  const { identity } = facts;
  if (concerns.paths.has(identity.bare)) {
    const { unknown, known, from } = facts.paths;
    if (from === "generic" && decided !== undefined) return undefined;
    return unknown ?? (known.length > 0 ? missingFolder(facts, concerns) : undefined);
  }
  // A tool that the table does not know: its arguments only look like paths, so a rule that names the tool goes first.
  if (decided !== undefined || facts.tools.files.has(identity.bare) || facts.tools.shell.has(identity.bare)) return undefined;
  if (!concerns.pathRules.some((rule) => speaksOf(rule, { tool: identity.bare }))) return undefined;
  return facts.paths.unknown;
}

function missingFolder({ paths }: CallFacts, { needs }: Concerns): string | undefined {
  if (needs.home && paths.home === undefined) return "path while the home folder is unknown";
  if (needs.workspace && paths.workspace === undefined) return "path while the workspace is unknown";
  return undefined;
}
