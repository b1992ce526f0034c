import type { Json } from "@bylaw/kernel";
import type { EffectName } from "@bylaw/shell";
import { OUTSIDE } from "./effect-parts.ts";
import { reach } from "../match/arguments.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { PrefixMap } from "./prefix-map.ts";
import { ProgramRules } from "./program-rules.ts";
import type { Rule } from "./rule.ts";
import { RuleFolders, seeEachOnce } from "./rule-folders.ts";
import type { Entry, RuleMatcher } from "../decide/rule-matcher.ts";

type Scalar = string | number | boolean | null;

interface ArgumentIndex {
  readonly path: readonly string[];
  readonly values: Map<Scalar, Entry[]>;
  readonly prefixes: PrefixMap<Entry[]>;
  /** All entries, for values that only the matchers themselves can read. */
  readonly all: Entry[];
}

/** The rules about one tool, indexed by the one other condition that best separates them. */
export class Bucket {
  readonly #plain: Entry[] = [];
  // Keyed by the lower-case name, because a deny covers all spellings.
  #programs: Map<string, ProgramRules> | undefined = undefined;
  #programPrefixes: PrefixMap<Entry[]> | undefined = undefined;
  // An allow is also listed under "", because it covers commands without effects.
  #effects: Map<EffectName | "", Entry[]> | undefined = undefined;
  #arguments: Map<string, Map<string, ArgumentIndex>> | undefined = undefined;
  #folders: RuleFolders | undefined = undefined;
  #agents: Map<string, Entry[]> | undefined = undefined;
  #phases: Map<string, Entry[]> | undefined = undefined;

  add(entry: Entry): void {
    const { rule } = entry;
    if (this.#addByProgram(entry)) return;
    const lists = this.#byEffect(rule) ??
      this.#byArgument(rule) ??
      this.#byFolder(rule) ??
      this.#byAgent(rule) ??
      this.#byPhase(rule) ?? [this.#plain];
    for (const list of lists) if (list.at(-1) !== entry) list.push(entry);
  }

  #addByProgram(entry: Entry): boolean {
    const { programs, regex } = entry.rule;
    if (programs !== undefined) {
      if (programs.some(({ program }) => program === undefined)) return false;
      for (const { program = "" } of programs) this.#program(program).add(entry);
      return true;
    }
    const prefixes = regex?.prefixes ?? [];
    if (prefixes.length === 0 || prefixes.some((prefix) => prefix === "" || prefix.startsWith(" ")))
      return false;
    for (const prefix of prefixes) {
      const blank = prefix.indexOf(" ");
      if (blank > 0) this.#program(prefix.slice(0, blank)).add(entry);
      else {
        const list = (this.#programPrefixes ??= new PrefixMap()).at(prefix, () => []);
        if (list.at(-1) !== entry) list.push(entry);
      }
    }
    return true;
  }

  #program(name: string): ProgramRules {
    this.#programs ??= new Map();
    const lower = name.toLowerCase();
    let rules = this.#programs.get(lower);
    if (rules === undefined) this.#programs.set(lower, (rules = new ProgramRules(lower)));
    return rules;
  }

  // Some effects depend on the paths, so the names of a command's effects cannot be used to find the rule.
  #byEffect({ effects, source }: Rule): readonly Entry[][] | undefined {
    const allow = source.effect === "allow";
    if (effects === undefined || (!allow && OUTSIDE.some((name) => effects.has(name))))
      return undefined;
    const index = (this.#effects ??= new Map());
    return [...effects, ...(allow ? ([""] as const) : [])].map((name) => listAt(index, name));
  }

  #byArgument({ conditions, source }: Rule): readonly Entry[][] | undefined {
    const condition =
      conditions.find(({ key }) => key?.kind === "values") ??
      conditions.find(({ key }) => key !== undefined);
    if (condition?.key === undefined) return undefined;
    const { key, name } = condition;
    const path = name.split(".");
    const paths = path.length > 1 && source.effect !== "allow" ? [path, [name]] : [path];
    return paths.flatMap((steps) => {
      const index = this.#argument(steps);
      const lists =
        key.kind === "values"
          ? key.values.map((value) => listAt(index.values, value))
          : key.prefixes.map((prefix) => index.prefixes.at(prefix, () => []));
      return source.effect === "allow" ? lists : [...lists, index.all];
    });
  }

  #argument(path: readonly string[]): ArgumentIndex {
    this.#arguments ??= new Map();
    const top = path[0] ?? "";
    let below = this.#arguments.get(top);
    if (below === undefined) this.#arguments.set(top, (below = new Map()));
    const name = JSON.stringify(path);
    let index = below.get(name);
    if (index === undefined)
      below.set(name, (index = { path, values: new Map(), prefixes: new PrefixMap(), all: [] }));
    return index;
  }

  #byFolder({
    readPaths,
    writePaths,
    programs,
    regex,
    source,
  }: Rule): readonly Entry[][] | undefined {
    if (readPaths === undefined && writePaths === undefined) return undefined;
    // An allow with `command` also covers commands that touch no file.
    if (source.effect === "allow" && (programs ?? regex) !== undefined) return undefined;
    return [(this.#folders ??= new RuleFolders()).added];
  }

  #byAgent({ agents }: Rule): readonly Entry[][] | undefined {
    if (agents?.every(({ literal }) => literal !== undefined) !== true) return undefined;
    return agents.map(({ literal }) => listAt((this.#agents ??= new Map()), literal ?? ""));
  }

  #byPhase({ phases }: Rule): readonly Entry[][] | undefined {
    if (phases?.every(({ literal }) => literal !== undefined) !== true) return undefined;
    return phases.map(({ literal }) => listAt((this.#phases ??= new Map()), literal ?? ""));
  }

  /** Shows a matcher every rule that could match. */
  visit(facts: CallFacts, matcher: RuleMatcher): void {
    seeAll(this.#plain, facts, matcher);
    if (this.#programs !== undefined || this.#programPrefixes !== undefined)
      this.#visitPrograms(facts, matcher);
    if (this.#effects !== undefined) this.#visitEffects(this.#effects, facts, matcher);
    if (this.#arguments !== undefined) this.#visitArguments(this.#arguments, facts, matcher);
    this.#folders?.visit(facts, matcher);
    const { agent, phase } = facts.call;
    if (this.#agents !== undefined && agent !== undefined)
      seeAll(this.#agents.get(agent), facts, matcher);
    if (this.#phases !== undefined && phase !== undefined)
      seeAll(this.#phases.get(phase), facts, matcher);
  }

  #visitPrograms(facts: CallFacts, matcher: RuleMatcher): void {
    const { part } = facts;
    if (part === null) return;
    const many = part.starts > 1;
    for (const { name, lower, head } of part.programs) {
      // For a regular expression, a program's name with a space in it reads as a program and an argument.
      const once = many || head;
      this.#programs?.get(lower)?.visit(facts, part, matcher, once);
      this.#programPrefixes?.visit(name, once ? seeEachOnce : seeAll, facts, matcher);
    }
  }

  #visitEffects(
    index: ReadonlyMap<EffectName | "", readonly Entry[]>,
    facts: CallFacts,
    matcher: RuleMatcher,
  ): void {
    if (facts.part === null) return;
    const { names, possible } = facts.part.named;
    seeEachOnce(index.get("") ?? [], facts, matcher);
    for (const name of names) seeEachOnce(index.get(name) ?? [], facts, matcher);
    for (const name of possible) seeEachOnce(index.get(name) ?? [], facts, matcher);
  }

  #visitArguments(
    index: ReadonlyMap<string, ReadonlyMap<string, ArgumentIndex>>,
    facts: CallFacts,
    matcher: RuleMatcher,
  ): void {
    const { args } = facts;
    if (args === undefined) {
      for (const below of index.values())
        for (const { all } of below.values()) seeAll(all, facts, matcher);
      return;
    }
    if (index.size <= 8) {
      for (const [name, below] of index)
        if (Object.hasOwn(args, name)) this.#visitArgument(below, args, facts, matcher);
      return;
    }
    for (const name of Object.keys(args)) {
      const below = index.get(name);
      if (below !== undefined) this.#visitArgument(below, args, facts, matcher);
    }
  }

  #visitArgument(
    below: ReadonlyMap<string, ArgumentIndex>,
    args: NonNullable<CallFacts["args"]>,
    facts: CallFacts,
    matcher: RuleMatcher,
  ): void {
    for (const { path, values, prefixes, all } of below.values()) {
      const value: Json | undefined = reach(args, path);
      if (value === undefined ? path.length > 1 : typeof value === "object" && value !== null)
        seeAll(all, facts, matcher);
      if (value === undefined || (typeof value === "object" && value !== null)) continue;
      seeAll(values.get(value as Scalar), facts, matcher);
      // A deny compares numbers and booleans as text.
      if (typeof value !== "string") seeAll(values.get(String(value)), facts, matcher);
      prefixes.visit(String(value), seeAll, facts, matcher);
    }
  }
}

function seeAll(
  entries: readonly Entry[] | undefined,
  facts: CallFacts,
  matcher: RuleMatcher,
): void {
  if (entries === undefined) return;
  for (const entry of entries) matcher.see(entry, facts);
}

// Returns the list of a key, and creates it if it is missing.
function listAt<K>(map: Map<K, Entry[]>, key: K): Entry[] {
  let list = map.get(key);
  if (list === undefined) map.set(key, (list = []));
  return list;
}
