import { PrefixMap } from "../compile/prefix-map.ts";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { textsOf } from "../match/mcp.ts";

/** A rule with its position in the pool. */
interface Placed {
  readonly rule: Rule;
  readonly at: number;
}

/** Finds the rules about a program or a tool without looking at all the others. */
export class RelatedRules {
  readonly #byTool = new PrefixMap<Placed[]>();
  readonly #byProgram = new Map<string, Placed[]>();
  /** Rules that may be about any program. */
  readonly #anyProgram: Placed[] = [];

  constructor(rules: readonly Rule[]) {
    for (const [at, rule] of rules.entries()) {
      for (const { glob } of rule.tools ?? [])
        this.#byTool.at(glob.prefix, () => []).push({ rule, at });
      for (const list of this.#listsFor(rule)) list.push({ rule, at });
    }
  }

  #listsFor({ programs, regex }: Rule): readonly Placed[][] {
    if (programs === undefined) return regex === undefined ? [] : [this.#anyProgram];
    const names = new Set(programs.map(({ program }) => program?.toLowerCase()));
    return [...names].map((name) => {
      if (name === undefined) return this.#anyProgram;
      const list = this.#byProgram.get(name) ?? [];
      this.#byProgram.set(name, list);
      return list;
    });
  }

  /** The rules that name a program, in the order of the pool. */
  aboutProgram(name: string): readonly Rule[] {
    const found = [...(this.#byProgram.get(name.toLowerCase()) ?? []), ...this.#anyProgram];
    return inOrder(found).filter((rule) => namesProgram(rule, name));
  }

  /** The rules whose `tool` matches the call, in the order of the pool. */
  aboutTool(facts: CallFacts): readonly Rule[] {
    const found: Placed[] = [];
    for (const name of textsOf(facts.identity)) this.#byTool.visit(name, collect, found, undefined);
    return inOrder(found).filter(({ parts: [first] }) => first?.holds(facts) === true);
  }
}

const collect = (list: readonly Placed[], found: Placed[]): void => void found.push(...list);

const inOrder = (found: readonly Placed[]): readonly Rule[] => [
  ...new Set(found.toSorted((one, other) => one.at - other.at).map(({ rule }) => rule)),
];

/** Whether a command pattern or regular expression of a rule is about a program. */
const namesProgram = ({ words, regex }: Rule, name: string): boolean =>
  words?.some((pattern) => pattern.names(name)) ??
  regex?.prefixes.some((prefix) => startsAlike(prefix, name)) === true;

const startsAlike = (prefix: string, name: string): boolean =>
  prefix !== "" && (name === prefix || prefix.startsWith(`${name} `));
