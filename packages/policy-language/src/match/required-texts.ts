const MAX_WAYS = 64;

// Flags, quoting, named classes and code points change how the rest is read, so the engine must handle these.
const UNUSUAL = /[^ -~]|\(\?(?!:)|\\[^dDwWsSbB\W]|\[:/;

type Ways = readonly (readonly string[])[];

/**
 * For each way to match a regular expression, texts that every such match contains. Undefined if they are not easy to
 * see. Searching for them is cheap and most lines have none, so the engine is rarely loaded.
 */
export function requiredTexts(source: string): Ways | undefined {
  return UNUSUAL.test(source) ? undefined : new Reader(source).alternatives();
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): Ways {
    const ways = [...this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      ways.push(...this.#sequence());
    }
    return ways;
  }

  #sequence(): Ways {
    let ways: Ways = [[]];
    let literal = "";
    const add = (others: Ways): void => {
      // Without the texts of a group, the engine runs more often, but nothing is missed.
      if (ways.length * others.length > MAX_WAYS) return;
      ways = ways.flatMap((way) => others.map((other) => [...way, ...other]));
    };
    const end = (): void => {
      if (literal !== "") add([[literal]]);
      literal = "";
    };
    for (;;) {
      const char = this.#source[this.#at];
      if (char === undefined || char === "|" || char === ")") break;
      if (char === "(") {
        end();
        const inner = this.#group();
        if (!this.#repeats().maybeNot) add(inner);
        continue;
      }
      const text = this.#character(char);
      const { maybeNot, often } = this.#repeats();
      if (text === undefined || maybeNot) end();
      else literal += text;
      if (often) end();
    }
    end();
    return ways;
  }

  #group(): Ways {
    this.#at += this.#source.startsWith("(?:", this.#at) ? 3 : 1;
    const ways = this.alternatives();
    this.#at += 1;
    return ways;
  }

  // The text that a single character of the expression matches. Undefined if it may match several.
  #character(char: string): string | undefined {
    if (char === "[") {
      const [whole = "["] = /^\[\^?\]?(?:\\.|[^\]\\])*\]/.exec(this.#source.slice(this.#at)) ?? [];
      this.#at += whole.length;
      return undefined;
    }
    if (char === "\\") {
      const next = this.#source[this.#at + 1] ?? "";
      this.#at += 2;
      return /\W/.test(next) ? next : undefined;
    }
    this.#at += 1;
    return ".^$".includes(char) ? undefined : char;
  }

  #repeats(): { readonly maybeNot: boolean; readonly often: boolean } {
    const [mark = ""] =
      /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#source.slice(this.#at, this.#at + 20)) ?? [];
    this.#at += mark.length;
    return { maybeNot: mark !== "" && !mark.startsWith("+"), often: mark !== "" };
  }
}
