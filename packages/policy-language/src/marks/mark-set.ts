import { BylawError } from "@bylaw/kernel";
import { buildIndex, type RuleIndex } from "../compile/rule-index.ts";
import { appliesToTool } from "../compile/rule-tool.ts";
import type { Rule } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import { MatchBudget, RuleMatcher, rankRules, type Entry } from "../decide/rule-matcher.ts";
import { quote } from "../load/finding.ts";
import { LANGUAGE_VERSION } from "../load/language-version.ts";
import type { CallFacts } from "../match/call-facts.ts";
import type { Identity } from "../match/mcp.ts";
import { runsAlone } from "./line-alone.ts";
import type { Mark } from "./mark.ts";
import { keysOf } from "./mark-reference.ts";
import { MarkFold, type SetMarks } from "./mark-state.ts";

/** A policy file, with its marks if it defines any. */
interface MarkFile {
  readonly marks?: readonly Mark[];
  readonly rules: readonly Rule[];
}

/** Collects the marks of policy files. Undefined if no file defines marks. */
export const marksIn = (files: readonly MarkFile[], tools: ToolTable): MarkSet | undefined =>
  files.some(({ marks }) => marks !== undefined) ? new MarkSet(files, tools) : undefined;

/** The marks of all policy files of a pool. Tells which of them a call sets. */
export class MarkSet {
  readonly marks: readonly Mark[];
  /** The name of each mark in the log. Includes the file if two marks share a name. */
  readonly labels: readonly string[];
  readonly fold: MarkFold;
  /** Everything that decides which marks a call sets, as text. */
  readonly definitions: string;
  readonly #places = new Map<string, number>();
  readonly #placesOf = new WeakMap<readonly string[], readonly number[]>();
  readonly #byRule = new Map<Rule, number>();
  readonly #index: RuleIndex;
  readonly #ofFiles: boolean;

  constructor(files: readonly MarkFile[], tools: ToolTable) {
    this.marks = distinct(files.flatMap(({ marks = [] }) => marks));
    for (const [at, { key, may }] of this.marks.entries()) {
      this.#places.set(key, at);
      this.#byRule.set(may, at);
    }
    this.labels = this.marks.map(({ source: { name, file } }) =>
      this.marks.filter((other) => other.source.name === name).length > 1
        ? `${name} (${file})`
        : name,
    );
    this.#ofFiles = this.marks.some(({ may }) => (may.readPaths ?? may.writePaths) !== undefined);
    this.#index = buildIndex(rankRules(this.marks.map(({ may }) => may)), tools);
    const times = timesAsked(files);
    this.definitions = JSON.stringify([
      LANGUAGE_VERSION,
      this.marks.map(({ source, key }) => [source, times.get(key)]),
      [...tools.shell],
      [...tools.files],
      [...tools.network],
    ]);
    this.fold = new MarkFold(
      this.marks.map(
        ({ key, source: { name, file, passed, command, command_regex, effects } }) => ({
          passed,
          ofCommands: (command ?? command_regex ?? effects) !== undefined,
          kept: times.get(key) ?? 1,
          clears: this.marks.flatMap(({ source: other }, at) =>
            other.file === file && other.cleared_by.includes(name) ? [at] : [],
          ),
        }),
      ),
    );
  }

  /** The indexes of marks, by their keys. Each list is looked up once. */
  placesOf(keys: readonly string[]): readonly number[] {
    let places = this.#placesOf.get(keys);
    if (places === undefined) {
      places = keys.flatMap((key) => this.#places.get(key) ?? []);
      this.#placesOf.set(keys, places);
    }
    return places;
  }

  /** The marks that a call sets if it runs. */
  setBy(whole: CallFacts): SetMarks {
    const { perCommand, embedded, line } = whole;
    const budget = new MatchBudget();
    let counts: Map<number, number> | undefined;
    for (const facts of embedded.length === 0 ? perCommand : [...perCommand, ...embedded])
      for (const mark of this.setByCommand(facts, line?.unknown, budget)) {
        counts ??= new Map();
        counts.set(mark, (counts.get(mark) ?? 0) + (facts.part?.times ?? 1));
      }
    if (counts === undefined) return NO_MARKS;
    const [only] = perCommand;
    const certain = only !== undefined && embedded.length === 0 && runsAlone(whole);
    return {
      may: [...counts].sort(([a], [b]) => a - b),
      sure: certain
        ? [...counts.keys()].filter((at) => this.marks[at]?.sure?.matches(only) === true)
        : [],
    };
  }

  /** Every mark that a call of this tool could set, with a count of one each. */
  aboutTool(identity: Identity): SetMarks["may"] {
    return this.marks.flatMap(({ may }, at) =>
      appliesToTool(may, identity) ? [[at, 1] as const] : [],
    );
  }

  /** The marks that a call, or one command of its line, may set. `unknown` says why the line cannot be read. */
  setByCommand(facts: CallFacts, unknown?: string, budget?: MatchBudget): ReadonlySet<number> {
    const matcher = new MarkMatcher(this.#byRule, budget);
    this.#index(facts, matcher);
    const found = matcher.found ?? NONE;
    const blind =
      unknown !== undefined || facts.part?.unknown !== undefined || budget?.spent === true;
    const unread =
      this.#ofFiles && (facts.part !== null || facts.tools.files.has(facts.identity.bare));
    if (!blind && (!unread || facts.paths.unknown === undefined)) return found;
    const more = this.aboutTool(facts.identity).flatMap(([at]) => {
      const { readPaths, writePaths } = this.marks[at]?.may ?? {};
      return blind || (readPaths ?? writePaths) !== undefined ? [at] : [];
    });
    return new Set([...found, ...more]);
  }
}

const NONE: ReadonlySet<number> = new Set();
const NO_MARKS: SetMarks = { may: [], sure: [] };

/** Collects the indexes of the marks whose rules match a call, or may match it. */
class MarkMatcher extends RuleMatcher {
  found: Set<number> | undefined = undefined;
  readonly #places: ReadonlyMap<Rule, number>;
  readonly #left: MatchBudget | undefined;

  constructor(places: ReadonlyMap<Rule, number>, budget: MatchBudget | undefined) {
    super();
    this.#places = places;
    this.#left = budget;
  }

  override see({ rule }: Entry, facts: CallFacts): void {
    const place = this.#places.get(rule) ?? -1;
    if (this.found?.has(place) === true || this.#left?.takes(rule, facts) === false) return;
    if (rule.matches(facts) || (facts.doubtful && rule.mayMatch?.(facts) === true))
      (this.found ??= new Set()).add(place);
  }

  override seeOnce(entry: Entry, facts: CallFacts): void {
    this.see(entry, facts);
  }
}

// The same file may be in a pool twice, but its marks count once.
function distinct(marks: readonly Mark[]): readonly Mark[] {
  const byKey = new Map<string, Mark>();
  for (const mark of marks) {
    const first = byKey.get(mark.key);
    if (first === undefined) byKey.set(mark.key, mark);
    else if (JSON.stringify(first.source) !== JSON.stringify(mark.source)) {
      const { name, file, line } = mark.source;
      throw new BylawError({
        code: "BYLAW_POLICY_INVALID",
        message: `Two policies are both called ${quote(file)} and have a mark ${quote(name)}`,
        fix: "Rename one of the marks",
        source: { file, line },
      });
    }
  }
  return [...byKey.values()];
}

function timesAsked(files: readonly MarkFile[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { source } of files.flatMap(({ rules }) => rules)) {
    for (const reference of [source.after, source.unless_after])
      if (reference !== undefined)
        for (const key of keysOf(reference, source.file))
          times.set(key, Math.max(times.get(key) ?? 1, reference.times));
  }
  return times;
}
