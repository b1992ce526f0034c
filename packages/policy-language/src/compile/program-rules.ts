import type { CallFacts } from "../match/call-facts.ts";
import type { LinePart } from "../match/shell-line.ts";
import { MAX_NAMED } from "./rule-parts.ts";
import type { Entry, RuleMatcher } from "../decide/rule-matcher.ts";

// Testing up to this many rules is faster than sorting them.
const FEW = 8;

interface Sorted {
  /** Rules that may match any arguments. */
  readonly any: readonly Entry[];
  /** The other rules, by a word that every command they match must contain. */
  readonly byWord: ReadonlyMap<string, readonly Entry[]>;
}

/** The rules about one program. If there are many, they are sorted by the subcommand that they name. */
export class ProgramRules {
  readonly #name: string;
  readonly #all: Entry[] = [];
  #sorted: Sorted | undefined = undefined;

  /** `name`: the name of the program in lower case. */
  constructor(name: string) {
    this.#name = name;
  }

  add(entry: Entry): void {
    if (this.#all.at(-1) === entry) return;
    this.#all.push(entry);
    this.#sorted = undefined;
  }

  /** Shows a matcher every rule that could match. `once`: the matcher may already have seen some of them. */
  visit(facts: CallFacts, part: LinePart, matcher: RuleMatcher, once: boolean): void {
    if (this.#all.length <= FEW || !isKnown(part)) {
      for (const entry of this.#all) {
        if (once) matcher.seeOnce(entry, facts);
        else matcher.see(entry, facts);
      }
      return;
    }
    const { any, byWord } = (this.#sorted ??= this.#sort());
    for (const entry of any) matcher.seeOnce(entry, facts);
    // Only the rule knows which word is the subcommand, because options, wrappers and aliases may precede it.
    for (const { text } of part.words) {
      const entries = byWord.get(text ?? "");
      if (entries !== undefined) for (const entry of entries) matcher.seeOnce(entry, facts);
    }
  }

  #sort(): Sorted {
    const any: Entry[] = [];
    const byWord = new Map<string, Entry[]>();
    for (const entry of this.#all) {
      const words = this.#firstWords(entry);
      if (words === undefined) any.push(entry);
      for (const word of words ?? []) {
        const list = byWord.get(word);
        if (list === undefined) byWord.set(word, [entry]);
        else list.push(entry);
      }
    }
    return { any, byWord };
  }

  #firstWords({ rule }: Entry): ReadonlySet<string> | undefined {
    if (rule.programs === undefined) return undefined;
    const found = new Set<string>();
    for (const pattern of rule.programs) {
      if (pattern.program?.toLowerCase() !== this.#name) continue;
      const words = pattern.firstWords();
      if (words === undefined) return undefined;
      for (const word of words) found.add(word);
    }
    return found;
  }
}

// Whether every word is known, so that it can be looked up. A line that names programs very often is not sorted either.
function isKnown({ words, starts }: LinePart): boolean {
  return starts <= MAX_NAMED && words.every(({ text, single }) => text !== undefined && single);
}
