import type { EffectName } from "@bylaw/shell";
import { PatternError } from "../load/finding.ts";
import { compileCondition, type Condition } from "../match/arguments.ts";
import { compileWords, type ProgramKey, type WordPattern } from "../match/command-words.ts";
import { compileGlob, expand, type Glob } from "../match/glob.ts";
import { compileNetwork, type NetworkPattern } from "../match/hosts.ts";
import { compileTool, type ToolPattern } from "../match/mcp.ts";
import { compileRegex, type Regex } from "../match/regex.ts";
import { GlobSet } from "../paths/glob-set.ts";
import { compilePathGlobs, type PathGlob } from "../paths/path-glob.ts";
import type { RuleSource } from "./written-rule.ts";

/** Reports what is wrong with a rule. `path` leads from the rule to the key. */
export type RuleComplaint = (
  path: readonly (string | number)[],
  message: string,
  fix?: string,
) => void;

/** A rule that was compiled and checked before. Its patterns of commands and paths are compiled when a call first needs them. */
export interface CheckedRule {
  readonly programs: readonly ProgramKey[] | undefined;
}

/** The compiled patterns of a rule. Undefined where the rule has no such condition. */
export interface RulePatterns {
  /** The alternatives of `tool`. */
  readonly tool: readonly ToolPattern[] | undefined;
  readonly servers: readonly Glob[] | undefined;
  /** The patterns of `command`. */
  readonly words: () => readonly WordPattern[];
  /** The programs and first words that these patterns are about. */
  readonly programs: readonly ProgramKey[] | undefined;
  readonly regex: Regex | undefined;
  readonly effects: ReadonlySet<EffectName> | undefined;
  readonly readPaths: GlobSet | undefined;
  readonly writePaths: GlobSet | undefined;
  readonly network: NetworkPattern | undefined;
  readonly conditions: readonly Condition[];
  readonly agents: readonly Glob[] | undefined;
  readonly phases: readonly Glob[] | undefined;
}

/** Compiles the patterns of a rule, and reports every wrong one. Returns undefined if one is wrong. */
export function compilePatterns(
  source: RuleSource,
  report: RuleComplaint,
  checked?: CheckedRule,
): RulePatterns | undefined {
  const compiler = new PatternCompiler(report);
  const allow = source.effect === "allow";
  const known = checked !== undefined;
  const globs = (text: string): readonly Glob[] => expand(text).map(compileGlob);
  const pathGlobs = (text: string): readonly PathGlob[] => compilePathGlobs(text, { fold: !allow });
  const globSet = (list: readonly string[] | undefined): GlobSet | undefined => {
    if (list === undefined) return undefined;
    if (known) return new GlobSet(() => list.flatMap(pathGlobs));
    const globs = compiler.each("paths", list, pathGlobs) ?? [];
    return new GlobSet(() => globs);
  };
  const wordPatterns = (text: string): readonly WordPattern[] => compileWords(text, { allow });
  let words = known ? undefined : compiler.each("command", source.command, wordPatterns);
  const readPaths = globSet(source.read);
  const patterns: RulePatterns = {
    tool: compiler.one("tool", source.tool, (text) =>
      expand(text, { pipes: true }).map((one) =>
        compileTool(one, { server: source.server !== undefined }),
      ),
    ),
    servers: compiler.one("server", source.server, (text) =>
      expand(text, { pipes: true }).map(compileGlob),
    ),
    programs: checked?.programs ?? words,
    words: () => (words ??= source.command?.flatMap(wordPatterns) ?? []),
    regex: compiler.one("command_regex", source.command_regex, (text) =>
      compileRegex(text, { dotAll: !allow, checked: known }),
    ),
    effects: source.effects === undefined ? undefined : new Set(source.effects),
    readPaths,
    writePaths: source.write === source.read ? readPaths : globSet(source.write),
    network: compiler.one("network", source.network, compileNetwork),
    agents: compiler.each("agent", source.agent, globs),
    phases: compiler.each("phase", source.phase, globs),
    conditions: Object.entries(source.args ?? {}).flatMap(
      ([name, condition]) =>
        compiler.attempt(["args", name], () =>
          compileCondition(name, condition, { broad: !allow, checked: known }),
        ) ?? [],
    ),
  };
  return compiler.failed ? undefined : patterns;
}

/** Compiles patterns one by one, so that all wrong ones are reported. */
export class PatternCompiler {
  failed = false;
  readonly #report: RuleComplaint;

  constructor(report: RuleComplaint) {
    this.#report = report;
  }

  fail(path: readonly (string | number)[], message: string, fix?: string): void {
    this.failed = true;
    this.#report(path, message, fix);
  }

  attempt<T>(path: readonly (string | number)[], compile: () => T): T | undefined {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.fail(path, error.message, error.fix);
      return undefined;
    }
  }

  one<S, T>(key: string, item: S | undefined, compile: (item: S) => T): T | undefined {
    return item === undefined ? undefined : this.attempt([key], () => compile(item));
  }

  each<S, T>(
    key: string,
    list: readonly S[] | undefined,
    compile: (item: S) => readonly T[],
  ): readonly T[] | undefined {
    return list?.flatMap(
      (item, at) => this.attempt(list.length === 1 ? [key] : [key, at], () => compile(item)) ?? [],
    );
  }
}
