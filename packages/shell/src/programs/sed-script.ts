/** What a sed script does besides editing text. */
export interface SedAction {
  readonly does: "run" | "write" | "read" | "error";
  /** Index of the command in the script. */
  readonly index: number;
  /** The shell command or file. Undefined if sed takes it from its input. */
  readonly text: string | undefined;
}

// Some seds compare only the first byte of a delimiter.
function delimits(text: string): boolean {
  return text !== "" && text < "\u0080" && text !== "\n" && text !== "\\";
}

/** Reads a sed script command by command. */
class SedReader {
  readonly actions: SedAction[] = [];
  readonly #script: string;
  readonly #brackets: boolean;
  #at = 0;
  #delimiter = "";

  constructor(script: string, brackets: boolean) {
    this.#script = script;
    this.#brackets = brackets;
  }

  read(): readonly SedAction[] {
    while (this.#at < this.#script.length) if (!this.#readCommand()) break;
    return this.actions;
  }

  #fail(): false {
    this.actions.push({
      does: "error",
      index: Math.min(this.#at, Math.max(0, this.#script.length - 1)),
      text: undefined,
    });
    return false;
  }

  #blanks(): void {
    while (this.#at < this.#script.length && /\s/.test(this.#script[this.#at] ?? "")) this.#at++;
  }

  #line(): string {
    const end = this.#script.indexOf("\n", this.#at);
    const text = this.#script.slice(this.#at, end < 0 ? this.#script.length : end);
    this.#at = end < 0 ? this.#script.length : end + 1;
    return text;
  }

  // Returns false if the script is not understood.
  #readCommand(): boolean {
    while (this.#at < this.#script.length && /[\s;]/.test(this.#script[this.#at] ?? "")) this.#at++;
    if (this.#at >= this.#script.length) return true;
    if (!this.#readAddress()) return this.#fail();
    this.#blanks();
    if (this.#script[this.#at] === ",") {
      this.#at++;
      this.#blanks();
      if (!this.#readAddress()) return this.#fail();
      this.#blanks();
    }
    while (this.#script[this.#at] === "!" || this.#script[this.#at] === " ") this.#at++;
    return this.#readFunction();
  }

  // The command after its addresses. Returns false if it is not understood.
  #readFunction(): boolean {
    const index = this.#at;
    const command = this.#script[this.#at++];
    switch (command) {
      case undefined:
        return this.#fail();
      case "#":
        this.#line();
        return true;
      case "{":
      case "}":
        return true;
      case ":":
      case "b":
      case "t":
      case "T":
        // Some seds end a label at a blank, others at the end of the line.
        while (this.#script[this.#at] === " " || this.#script[this.#at] === "\t") this.#at++;
        while (this.#at < this.#script.length && !/[\s;}]/.test(this.#script[this.#at] ?? ""))
          this.#at++;
        return this.#readEnd() || this.#fail();
      case "a":
      case "i":
      case "c":
        this.#readText();
        return true;
      case "r":
      case "R":
      case "w":
      case "W": {
        const name = this.#line().trimStart();
        if (!/^\/dev\/(stdout|stderr|stdin)$/.test(name))
          this.actions.push({
            does: command.toLowerCase() === "w" ? "write" : "read",
            index,
            text: name,
          });
        return true;
      }
      case "e": {
        const text = this.#line().trim();
        this.actions.push({ does: "run", index, text: text === "" ? undefined : text });
        return true;
      }
      case "s":
        return this.#readSubstitution(index) || this.#fail();
      case "y":
        return (this.#readPart(false) && this.#readRest()) || this.#fail();
      case "q":
      case "Q":
      case "l":
      case "L":
      case "v":
        while (this.#at < this.#script.length && /[ \t\w.]/.test(this.#script[this.#at] ?? ""))
          this.#at++;
        return this.#readEnd() || this.#fail();
      default:
        return ("=dDgGhHnNpPxzF".includes(command) && this.#readEnd()) || this.#fail();
    }
  }

  #readEnd(): boolean {
    while (
      this.#script[this.#at] === " " ||
      this.#script[this.#at] === "\t" ||
      this.#script[this.#at] === "\r"
    )
      this.#at++;
    return this.#at >= this.#script.length || /[\n;}#]/.test(this.#script[this.#at] ?? "");
  }

  #readAddress(): boolean {
    const first = this.#script[this.#at];
    if (first === undefined) return true;
    if (first === "/" || first === "\\") {
      if (first === "\\") this.#at++;
      const delimiter = this.#script[this.#at++];
      if (delimiter === undefined || !delimits(delimiter) || !this.#readUntil(delimiter, true))
        return false;
      while (this.#script[this.#at] === "I" || this.#script[this.#at] === "M") this.#at++;
      return true;
    }
    while (/[0-9$~+]/.test(this.#script[this.#at] ?? "")) this.#at++;
    return true;
  }

  // Moves past the next unescaped delimiter.
  #readUntil(delimiter: string, pattern: boolean): boolean {
    let inside = false;
    while (this.#at < this.#script.length) {
      const character = this.#script[this.#at++];
      if (character === "\\" && !(inside && this.#brackets)) this.#at++;
      else if (inside && this.#brackets) {
        if (character === "]") inside = false;
      } else if (character === delimiter) return true;
      else if (pattern && character === "\n") return false;
      else if (pattern && this.#brackets && character === "[") {
        inside = true;
        if (this.#script[this.#at] === "^") this.#at++;
        if (this.#script[this.#at] === "]") this.#at++;
      }
    }
    return false;
  }

  #readPart(pattern: boolean): boolean {
    this.#delimiter = this.#script[this.#at++] ?? "";
    return delimits(this.#delimiter) && this.#readUntil(this.#delimiter, pattern);
  }

  #readRest(): boolean {
    return this.#readUntil(this.#delimiter, false) && this.#readEnd();
  }

  #readSubstitution(index: number): boolean {
    if (!this.#readPart(true) || !this.#readUntil(this.#delimiter, false)) return false;
    for (; ; this.#at++) {
      const flag = this.#script[this.#at];
      if (flag === "e") this.actions.push({ does: "run", index, text: undefined });
      else if (flag === "w") {
        this.#at++;
        const name = this.#line().trimStart();
        if (!/^\/dev\/(stdout|stderr)$/.test(name))
          this.actions.push({ does: "write", index, text: name });
        return true;
      } else if (flag === undefined || !/[gpiImM0-9]/.test(flag)) return this.#readEnd();
    }
  }

  // The text of a, i and c continues after a backslash at the end of a line.
  #readText(): void {
    while (this.#at < this.#script.length) {
      const text = this.#line();
      const slashes = /\\*$/.exec(text.slice(-64))?.[0].length ?? 0;
      if (slashes % 2 === 0) return;
    }
  }
}

/**
 * Reads a sed script. With `brackets` the delimiter is literal inside `[…]`, as in BSD and BusyBox. In GNU sed it ends the pattern there.
 */
export function readSedScript(
  script: string,
  { brackets }: { readonly brackets: boolean },
): readonly SedAction[] {
  return new SedReader(script, brackets).read();
}
