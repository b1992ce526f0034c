/** What an awk program does besides printing. */
export interface AwkAction {
  readonly does: "run" | "write" | "read" | "load";
  /** The command or file. Undefined if the program computes it. */
  readonly text: string | undefined;
}

type Kind = "string" | "word" | "number" | "regex" | "sign" | "newline" | "end";

interface Token {
  readonly kind: Kind;
  readonly text: string;
}

// After these words a slash starts a regular expression.
const BEFORE_REGEX = /^(print|printf|return|else|do|exit)$/;
// Keywords that are variables in some awks, or that take no operand. A slash after them is ambiguous.
const BEFORE_BOTH =
  /^(and|or|xor|not|in|case|default|switch|length|getline|next|nextfile|break|continue|delete|if|while|for|func|function|BEGIN|END|BEGINFILE|ENDFILE)$/;
const OUTPUTS = /^\/dev\/(stdout|stderr|null)$/;
const INPUTS = /^(\/dev\/(stdin|null)|-)$/;
// After these a statement continues on the next line.
const OPEN = /^(,|\|\||&&|\{|\?|:)$/;

/** Reads an awk program. Undefined if it may run something. */
export function readAwkProgram(program: string): readonly AwkAction[] | undefined {
  const tokens = tokensOf(program);
  if (tokens === undefined) return RISKY.test(program) ? undefined : [];
  const actions: AwkAction[] = [];
  // The current statement contains a getline.
  let reads = false;
  // Depth of parentheses inside a print statement. Undefined outside.
  let print: number | undefined;
  tokens.forEach((token, index) => {
    const { kind, text } = token;
    if (kind === "word") {
      if (text === "print" || text === "printf") print = 0;
      else if (text === "system") actions.push({ does: "run", text: argument(tokens, index + 1) });
      else if (text === "getline") reads = true;
      else if (text === "ARGV" || text === "SYMTAB")
        actions.push({ does: "read", text: undefined });
      return;
    }
    if (kind === "newline" || (kind === "sign" && (text === ";" || text === "}" || text === "{"))) {
      reads = false;
      if (print === 0 || text === "}" || text === "{") print = undefined;
      return;
    }
    if (kind !== "sign") return;
    if (print !== undefined && (text === "(" || text === "[")) print++;
    else if (print !== undefined && (text === ")" || text === "]")) print--;
    else if (text === "@") at(tokens, index, actions);
    else if (text === "|" || text === "|&") pipe(tokens, index, actions);
    else if ((text === ">" || text === ">>") && print === 0)
      target(tokens, index + 1, "write", actions);
    else if (text === "<" && reads) target(tokens, index + 1, "read", actions);
  });
  return actions;
}

const RISKY = /system|getline|ARGV|SYMTAB|[|>@]/;

// The only string in parentheses.
function argument(tokens: readonly Token[], index: number): string | undefined {
  const [open, value, close] = [tokens[index], tokens[index + 1], tokens[index + 2]];
  return open?.text === "(" &&
    open.kind === "sign" &&
    value?.kind === "string" &&
    close?.kind === "sign" &&
    close.text === ")"
    ? value.text
    : undefined;
}

function at(tokens: readonly Token[], index: number, actions: AwkAction[]): void {
  const next = tokens[index + 1];
  const value = tokens[index + 2];
  if (next?.kind === "word" && /^(load|include|namespace)$/.test(next.text)) {
    if (next.text !== "namespace")
      actions.push({ does: "load", text: value?.kind === "string" ? value.text : undefined });
  } else actions.push({ does: "run", text: undefined });
}

function ends(token: Token | undefined): boolean {
  return (
    token === undefined ||
    token.kind === "newline" ||
    token.kind === "end" ||
    (token.kind === "sign" && /^[;})]$/.test(token.text))
  );
}

function pipe(tokens: readonly Token[], index: number, actions: AwkAction[]): void {
  const next = tokens[index + 1];
  if (next?.kind === "word" && next.text === "getline") {
    const source = tokens[index - 1];
    const earlier = tokens[index - 2];
    const alone =
      earlier === undefined ||
      earlier.kind === "newline" ||
      (earlier.kind === "sign" && /^(\(|\{|;|\}|!|&&|\|\||\))$/.test(earlier.text)) ||
      (earlier.kind === "word" && /^(while|if|do|else)$/.test(earlier.text));
    actions.push({
      does: "run",
      text: source?.kind === "string" && alone && earlier?.text !== ")" ? source.text : undefined,
    });
    return;
  }
  actions.push({
    does: "run",
    text: next?.kind === "string" && ends(tokens[index + 2]) ? next.text : undefined,
  });
}

function target(
  tokens: readonly Token[],
  index: number,
  does: "write" | "read",
  actions: AwkAction[],
): void {
  const value = tokens[index];
  const text =
    value?.kind === "string" && (does === "read" || ends(tokens[index + 1]))
      ? value.text
      : undefined;
  if (text !== undefined && (does === "write" ? OUTPUTS : INPUTS).test(text)) return;
  actions.push(
    text?.startsWith("/inet") === true ? { does: "run", text: undefined } : { does, text },
  );
}

// Undefined if a slash is ambiguous or a string is unterminated.
function tokensOf(program: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  // Whether a statement follows each open parenthesis.
  const parens: boolean[] = [];
  let statement = false;
  let index = 0;
  const push = (kind: Kind, text: string): void => void tokens.push({ kind, text });
  while (index < program.length) {
    const character = program[index] ?? "";
    if (character === "\n") {
      const last = tokens.at(-1);
      if (last === undefined || !goesOn(last)) push("newline", "\n");
      index++;
    } else if (character === "\\") {
      if (program[index + 1] !== "\n") return undefined;
      index += 2;
    } else if (/[ \t\r\f\v]/.test(character)) index++;
    else if (character === "#") {
      const end = program.indexOf("\n", index);
      index = end < 0 ? program.length : end;
    } else if (character === '"') {
      const end = stringEnd(program, index + 1);
      if (end < 0) return undefined;
      push("string", unescape(program.slice(index + 1, end)));
      index = end + 1;
    } else if (/[A-Za-z_]/.test(character)) {
      const end = wordEnd(program, index);
      push("word", program.slice(index, end));
      index = end;
    } else if (/[0-9.]/.test(character)) {
      const end = numberEnd(program, index);
      if (end === index || /[\w.]/.test(program[end] ?? "")) return undefined;
      push("number", program.slice(index, end));
      index = end;
    } else if (character === "/" && ambiguous(tokens.at(-1))) return undefined;
    else if (character === "/" && regexMay(tokens.at(-1), statement)) {
      const end = regexEnd(program, index + 1);
      if (end < 0) return undefined;
      push("regex", program.slice(index, end + 1));
      index = end + 1;
    } else {
      const sign =
        /^(\|\||\|&|&&|>>|>=|<=|==|!=|\+\+|--|[-+*/%^]=|[\s\S])/.exec(
          program.slice(index, index + 2),
        )?.[0] ?? character;
      if (sign === "(") {
        const last = tokens.at(-1);
        parens.push(last?.kind === "word" && /^(if|while|for)$/.test(last.text));
      }
      statement = sign === ")" && parens.pop() === true;
      push("sign", sign);
      index += sign.length;
      continue;
    }
    if (character !== " ") statement = statement && /\s/.test(character);
  }
  push("end", "");
  return tokens;
}

function regexMay(last: Token | undefined, statement: boolean): boolean {
  if (last === undefined || last.kind === "newline") return true;
  if (last.kind === "word") return BEFORE_REGEX.test(last.text);
  if (last.kind !== "sign") return false;
  return last.text === ")" ? statement : !/^(\]|\+\+|--)$/.test(last.text);
}

// A slash that starts a regular expression in one awk and divides in another.
function ambiguous(last: Token | undefined): boolean {
  return (
    last !== undefined &&
    ((last.kind === "word" && BEFORE_BOTH.test(last.text)) ||
      (last.kind === "sign" && last.text === "$"))
  );
}

function goesOn({ kind, text }: Token): boolean {
  return (kind === "sign" && OPEN.test(text)) || (kind === "word" && /^(do|else)$/.test(text));
}

const NUMBER = /(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)/y;

function numberEnd(program: string, from: number): number {
  NUMBER.lastIndex = from;
  return NUMBER.test(program) ? NUMBER.lastIndex : from;
}

function wordEnd(program: string, from: number): number {
  let end = from + 1;
  while (/[A-Za-z0-9_]/.test(program[end] ?? "")) end++;
  return end;
}

function stringEnd(program: string, from: number): number {
  for (let at = from; at < program.length; at++) {
    if (program[at] === "\\") at++;
    else if (program[at] === '"') return at;
    else if (program[at] === "\n") return -1;
  }
  return -1;
}

// Awks differ on a slash inside brackets.
function regexEnd(program: string, from: number): number {
  let open = -1;
  for (let at = from; at < program.length; at++) {
    const character = program[at];
    if (character === "\\") at++;
    else if (character === "\n") return -1;
    else if (character === "/") return open >= 0 ? -1 : at;
    else if (character === "[" && open < 0) {
      open = at;
      if (program[at + 1] === "^") at++;
      if (program[at + 1] === "]") at++;
    } else if (character === "]") open = -1;
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "/": "/",
};

// Strings with other escapes are not decoded.
function unescape(text: string): string {
  return text.replace(/\\([\s\S])/g, (whole, character: string) => ESCAPES[character] ?? whole);
}
