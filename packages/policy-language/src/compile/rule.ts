import type { Verdict } from "@bylaw/kernel";
import type { EffectName } from "@bylaw/shell";
import { compileCondition, type Condition } from "../match/arguments.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { PatternError } from "../load/finding.ts";
import { compileGlob, expand, type Glob } from "../match/glob.ts";
import {
  blanketAllows,
  mayReach,
  named,
  reaches,
  regexAllows,
  regexDenies,
  wordsAllow,
  wordsDeny,
} from "./rule-parts.ts";
import { effectsAllow, effectsDeny, effectsMayDeny } from "./effect-parts.ts";
import { pathsAllow, pathsDeny, pathsMayDeny } from "./path-parts.ts";
import { ruleVerdict } from "./rule-verdict.ts";
import { compileTool, serverMatches, toolDenies, type ToolPattern } from "../match/mcp.ts";
import { compileNetwork } from "../match/hosts.ts";
import { compilePathGlobs, type PathGlob } from "../paths/path-glob.ts";
import { GlobSet } from "../paths/glob-set.ts";
import { compileRegex, type Regex } from "../match/regex.ts";
import type { ToolTable } from "./tool-table.ts";
import { compileWhen, type When } from "./compile-when.ts";
import { pastAnswer, pastParts } from "../marks/after.ts";
import type { RuleSource } from "./written-rule.ts";
import { compileWords, type ProgramKey, type WordPattern } from "../match/command-words.ts";

export { TIERS, type RuleSource, type Tier } from "./written-rule.ts";

/** One condition of a rule, under the key that it is written with. */
interface Part {
  readonly key: string;
  holds(facts: CallFacts): boolean;
  /** Whether the condition may hold for a command that is not fully known. */
  readonly mayHold?: (facts: CallFacts) => boolean;
}

/** A compiled rule. */
export interface Rule {
  readonly source: RuleSource;
  /** The verdict of the rule, created once. */
  readonly answer: readonly Verdict[];
  /** The verdict of the rule for a call. If the rule depends on the run, the reason says which event counts. */
  answerTo(facts: CallFacts): readonly Verdict[];
  /** The alternatives of `tool`. Undefined: any tool. */
  readonly tools: readonly ToolPattern[] | undefined;
  readonly servers: readonly Glob[] | undefined;
  /** The programs and first words that the patterns of `command` are about. */
  readonly programs: readonly ProgramKey[] | undefined;
  /** The patterns of `command`. */
  readonly words: readonly WordPattern[] | undefined;
  readonly regex: Regex | undefined;
  /** Names of effects that a command may have. */
  readonly effects: ReadonlySet<EffectName> | undefined;
  readonly readPaths: GlobSet | undefined;
  readonly writePaths: GlobSet | undefined;
  readonly conditions: readonly Condition[];
  readonly agents: readonly Glob[] | undefined;
  readonly phases: readonly Glob[] | undefined;
  /** The conditions of the rule, cheapest first. */
  readonly parts: readonly Part[];
  /** Whether all `parts` hold. */
  matches(facts: CallFacts): boolean;
  /** Whether all `parts` may hold for a command that is not fully known. Undefined for an allow and for rules that never need this. */
  readonly mayMatch: ((facts: CallFacts) => boolean) | undefined;
  /** The condition that must hold in addition to `parts`. */
  readonly when: When | undefined;
}

/** Reports what is wrong with a rule. `path` leads from the rule to the key. */
export type RuleComplaint = (
  path: readonly (string | number)[],
  message: string,
  fix?: string,
) => void;

/** A rule that was compiled and checked before. Its command patterns are compiled when a call first needs them. */
export interface CheckedRule {
  readonly programs: readonly ProgramKey[] | undefined;
}

/** Compiles one rule and reports every wrong pattern. Returns undefined if a pattern is wrong. */
export function compileRule(
  source: RuleSource,
  tools: ToolTable,
  report: RuleComplaint,
  checked?: CheckedRule,
): Rule | undefined {
  let wrong = false;
  const attempt = <T>(path: readonly (string | number)[], compile: () => T): T | undefined => {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      wrong = true;
      report(path, error.message, error.fix);
      return undefined;
    }
  };
  const each = <S, T>(
    key: string,
    list: readonly S[] | undefined,
    compile: (item: S) => readonly T[],
  ): readonly T[] | undefined =>
    list?.flatMap(
      (item, at) => attempt(list.length === 1 ? [key] : [key, at], () => compile(item)) ?? [],
    );

  const allow = source.effect === "allow";
  const globs = (text: string): readonly Glob[] => expand(text).map(compileGlob);
  const piped = (text: string): readonly Glob[] => expand(text, { pipes: true }).map(compileGlob);
  const pathGlobs = (text: string): readonly PathGlob[] => compilePathGlobs(text, { fold: !allow });
  const globSet = (list: readonly string[] | undefined): GlobSet | undefined => {
    const all = each("paths", list, pathGlobs);
    return all === undefined ? undefined : new GlobSet(all);
  };
  const tool = attempt(["tool"], () =>
    source.tool === undefined
      ? undefined
      : expand(source.tool, { pipes: true }).map((text) =>
          compileTool(text, { server: source.server !== undefined }),
        ),
  );
  const servers = attempt(["server"], () =>
    source.server === undefined ? undefined : piped(source.server),
  );
  const compileCommand = (): readonly WordPattern[] | undefined =>
    each("command", source.command, (text) => compileWords(text, { allow }));
  let words = checked === undefined ? compileCommand() : undefined;
  const wordsOf = (): readonly WordPattern[] => (words ??= compileCommand() ?? []);
  const regex = attempt(["command_regex"], () =>
    source.command_regex === undefined
      ? undefined
      : compileRegex(source.command_regex, { dotAll: !allow, checked: checked !== undefined }),
  );
  const effects = source.effects === undefined ? undefined : new Set(source.effects);
  const readPaths = globSet(source.read);
  const writePaths = source.write === source.read ? readPaths : globSet(source.write);
  const network = attempt(["network"], () =>
    source.network === undefined ? undefined : compileNetwork(source.network),
  );
  const agents = each("agent", source.agent, globs);
  const phases = each("phase", source.phase, globs);
  const conditions: Condition[] = [];
  for (const [name, condition] of Object.entries(source.args ?? {})) {
    const compiled = attempt(["args", name], () =>
      compileCondition(name, condition, { broad: !allow, checked: checked !== undefined }),
    );
    if (compiled !== undefined) conditions.push(compiled);
  }
  if (wrong) return undefined;

  const ofCommands = (source.command ?? regex ?? effects) !== undefined;
  const past = pastParts(source);
  const parts: Part[] = [...past];
  const part = (key: string, holds: Part["holds"], mayHold?: Part["mayHold"]): void =>
    void parts.push({ key, holds, ...(mayHold === undefined ? {} : { mayHold }) });
  if (tool !== undefined) {
    if (allow) part("tool", ({ identity }) => tool.some((one) => one.allows(identity)));
    else part("tool", ({ identity }) => toolDenies(tool, servers, identity));
  }
  if (tool === undefined && allow) {
    // An allow about commands or hosts without `tool` covers only tools of the host itself, not those of MCP servers.
    const own = servers === undefined && (ofCommands || network !== undefined);
    part("tool", ({ identity: { kind } }) => kind === "local" || (kind === "mcp" && !own));
  }
  if (servers !== undefined)
    part("server", ({ identity }) => serverMatches(servers, identity, { allow }));
  if (source.interactive !== undefined) {
    const { interactive } = source;
    part("interactive", ({ call }) => (call.interactive !== false) === interactive);
  }
  if (source.modes !== undefined) {
    const { modes } = source;
    part("modes", ({ call }) => modes.includes(call.approval_mode ?? "ask"));
  }
  if (agents !== undefined) part("agent", ({ call }) => named(agents, call.agent));
  if (phases !== undefined) part("phase", ({ call }) => named(phases, call.phase));
  for (const condition of conditions)
    part(`args.${condition.name}`, ({ args }) => condition.holds(args));
  if (network !== undefined) {
    if (allow)
      part("network", (facts) => reaches(network, facts, { allow, named: effects !== undefined }));
    else part("network", (facts) => reaches(network, facts, { allow }), mayReach);
  }
  if (source.command !== undefined) {
    if (allow) part("command", (facts) => wordsAllow(wordsOf(), facts, source));
    else
      part(
        "command",
        (facts) => wordsDeny(wordsOf(), facts, { sure: true }),
        (facts) => wordsDeny(wordsOf(), facts, { sure: false }),
      );
  }
  if (regex !== undefined) {
    if (allow) part("command_regex", (facts) => regexAllows(regex, facts, source));
    else
      part(
        "command_regex",
        (facts) => regexDenies(regex, facts, { sure: true }),
        (facts) => regexDenies(regex, facts, { sure: false }),
      );
  }
  if (effects !== undefined) {
    if (allow) part("effects", (facts) => effectsAllow(effects, facts));
    else
      part(
        "effects",
        (facts) => effectsDeny(effects, facts),
        (facts) => effectsMayDeny(effects, facts),
      );
  }
  if (readPaths !== undefined || writePaths !== undefined) {
    if (allow)
      part("paths", (facts) => pathsAllow(readPaths, writePaths, facts, { named: ofCommands }));
    else
      part(
        "paths",
        (facts) => pathsDeny(readPaths, writePaths, facts),
        (facts) => pathsMayDeny(readPaths, writePaths, facts),
      );
  }
  // An allow of the shell tool without `command` covers no line that cannot be read, and no argument that does more
  // than the program's name says.
  if (allow && !ofCommands) {
    const about = {
      files: readPaths !== undefined || writePaths !== undefined,
      network: network !== undefined,
    };
    part("command", (facts) => blanketAllows(facts, about));
  }
  const [only, ...more] = parts;
  const matches: Rule["matches"] =
    only === undefined
      ? () => true
      : more.length === 0
        ? (facts) => only.holds(facts)
        : (facts) => {
            for (const one of parts) if (!one.holds(facts)) return false;
            return true;
          };
  let answer: readonly Verdict[] | undefined;
  const answerOnce = (): readonly Verdict[] => (answer ??= [ruleVerdict(source)]);
  return {
    source,
    get answer() {
      return answerOnce();
    },
    answerTo: past.length === 0 ? answerOnce : pastAnswer(source),
    tools: tool?.every(({ glob }) => !glob.any) === true ? tool : undefined,
    servers,
    programs: checked?.programs ?? words,
    get words() {
      return source.command === undefined ? undefined : wordsOf();
    },
    regex,
    effects,
    readPaths,
    writePaths,
    conditions,
    agents,
    phases,
    parts,
    matches,
    mayMatch: parts.some(({ mayHold }) => mayHold !== undefined)
      ? (facts) => parts.every((one) => one.holds(facts) || one.mayHold?.(facts) === true)
      : undefined,
    when: source.when === undefined ? undefined : compileWhen(source.when, { allow }),
  };
}
