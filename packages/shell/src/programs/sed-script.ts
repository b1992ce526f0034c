/** What a sed script does besides editing text. */
export interface SedAction {
  readonly does: "run" | "write" | "read" | "error";
  /** Index in the script of the command. */
  readonly index: number;
  /** The shell command or the file; undefined where sed makes it from its input. */
  readonly text: string | undefined;
}

// Of a letter of several bytes some take the first one only.
function delimits(text: string): boolean {
  return text !== "" && text < "\u0080" && text !== "\n" && text !== "\\";
}

/**
 * Reads a sed script. `brackets`: the delimiter has no meaning inside `[…]`, as in BSD and BusyBox; in GNU sed it ends the
 * pattern even there.
 */
export function readSedScript(script: string, { brackets }: { readonly brackets: boolean }): readonly SedAction[] {
  const actions: SedAction[] = [];
  let at = 0;
  let delimiter = "";
  while (at < script.length) if (!readCommand()) break;
  return actions;

  function fail(): false {
    actions.push({ does: "error", index: Math.min(at, Math.max(0, script.length - 1)), text: undefined });
    return false;
  }

  function blanks(): void {
    while (at < script.length && /\s/.test(script[at] ?? "")) at++;
  }

  function line(): string {
    const end = script.indexOf("\n", at);
    const text = script.slice(at, end < 0 ? script.length : end);
    at = end < 0 ? script.length : end + 1;
    return text;
  }

  // Returns false where the script is not understood.
  function readCommand(): boolean {
    while (at < script.length && /[\s;]/.test(script[at] ?? "")) at++;
    if (at >= script.length) return true;
    if (!readAddress()) return fail();
    blanks();
    if (script[at] === ",") {
      at++;
      blanks();
      if (!readAddress()) return fail();
      blanks();
    }
    while (script[at] === "!" || script[at] === " ") at++;
    const index = at;
    const command = script[at++];
    switch (command) {
      case undefined:
        return fail();
      case "#":
        line();
        return true;
      case "{":
      case "}":
        return true;
      case ":":
      case "b":
      case "t":
      case "T":
        // One sed ends a label at a blank, another at the end of the line.
        while (script[at] === " " || script[at] === "\t") at++;
        while (at < script.length && !/[\s;}]/.test(script[at] ?? "")) at++;
        return readEnd() || fail();
      case "a":
      case "i":
      case "c":
        readText();
        return true;
      case "r":
      case "R":
      case "w":
      case "W": {
        const name = line().trimStart();
        if (!/^\/dev\/(stdout|stderr|stdin)$/.test(name))
          actions.push({ does: command.toLowerCase() === "w" ? "write" : "read", index, text: name });
        return true;
      }
      case "e": {
        const text = line().trim();
        actions.push({ does: "run", index, text: text === "" ? undefined : text });
        return true;
      }
      case "s":
        return readSubstitution(index) || fail();
      case "y":
        return (readPart(false) && readRest()) || fail();
      case "q":
      case "Q":
      case "l":
      case "L":
      case "v":
        while (at < script.length && /[ \t\w.]/.test(script[at] ?? "")) at++;
        return readEnd() || fail();
      default:
        return ("=dDgGhHnNpPxzF".includes(command) && readEnd()) || fail();
    }
  }

  function readEnd(): boolean {
    while (script[at] === " " || script[at] === "\t" || script[at] === "\r") at++;
    return at >= script.length || /[\n;}#]/.test(script[at] ?? "");
  }

  function readAddress(): boolean {
    const first = script[at];
    if (first === undefined) return true;
    if (first === "/" || first === "\\") {
      if (first === "\\") at++;
      const delimiter = script[at++];
      if (delimiter === undefined || !delimits(delimiter) || !readUntil(delimiter, true)) return false;
      while (script[at] === "I" || script[at] === "M") at++;
      return true;
    }
    while (/[0-9$~+]/.test(script[at] ?? "")) at++;
    return true;
  }

  // Moves behind the next delimiter that counts.
  function readUntil(delimiter: string, pattern: boolean): boolean {
    let inside = false;
    while (at < script.length) {
      const character = script[at++];
      if (character === "\\" && !(inside && brackets)) at++;
      else if (inside && brackets) {
        if (character === "]") inside = false;
      } else if (character === delimiter) return true;
      else if (pattern && character === "\n") return false;
      else if (pattern && brackets && character === "[") {
        inside = true;
        if (script[at] === "^") at++;
        if (script[at] === "]") at++;
      }
    }
    return false;
  }

  function readPart(pattern: boolean): boolean {
    delimiter = script[at++] ?? "";
    return delimits(delimiter) && readUntil(delimiter, pattern);
  }

  function readRest(): boolean {
    return readUntil(delimiter, false) && readEnd();
  }

  function readSubstitution(index: number): boolean {
    if (!readPart(true) || !readUntil(delimiter, false)) return false;
    for (; ; at++) {
      const flag = script[at];
      if (flag === "e") actions.push({ does: "run", index, text: undefined });
      else if (flag === "w") {
        at++;
        const name = line().trimStart();
        if (!/^\/dev\/(stdout|stderr)$/.test(name)) actions.push({ does: "write", index, text: name });
        return true;
      } else if (flag === undefined || !/[gpiImM0-9]/.test(flag)) return readEnd();
    }
  }

  // The text of a, i and c goes on after a backslash at the end of a line.
  function readText(): void {
    while (at < script.length) {
      const text = line();
      const slashes = /\\*$/.exec(text.slice(-64))?.[0].length ?? 0;
      if (slashes % 2 === 0) return;
    }
  }
}
