import type {
  AssignmentNode,
  CompoundNode,
  HereDoc,
  Pipeline,
  RedirectionNode,
  Statement,
  WordNode,
} from "./syntax.ts";

const RESERVED =
  /^(?:[!{}]|\[\[|\]\]|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)$/;

/** Finds text of a compound command that the parser accepts and bash rejects. Undefined if there is none. */
export function refusedText(source: string, node: CompoundNode): string | undefined {
  switch (node.type) {
    case "Coproc": {
      // Bash reads the first word as a name, and the second as the start of a compound command.
      const [second] = node.body.type === "Command" ? node.body.suffix : [];
      return second?.type === "Word" && RESERVED.test(second.text) ? second.text : undefined;
    }
    case "For":
    case "Select": {
      const head = source.slice(node.name.end, node.body.pos);
      if (node.wordlist === undefined && /^[^;]*\n[^;]*;/.test(head)) return head;
      if (/\bin(?:[ \t]|\\\n)*[<>]/.test(head)) return head;
      return refusedWord([node.name, ...(node.wordlist ?? [])]);
    }
    case "ArithmeticFor": {
      const head = source.slice(node.pos, node.pos + 20);
      return head.startsWith("for") && !/^for(?:[ \t]|\\\n)*\(\(/.test(head) ? head : undefined;
    }
    case "Function":
      return /^[A-Za-z_][\w.:+-]*$/.test(node.name.text)
        ? beforeFunction(source, node.pos)
        : node.name.text;
    case "Subshell":
      // Bash searches for the end of arithmetic first, and may find a different one.
      return source.startsWith("((", node.pos) ? "((" : undefined;
    case "TestCommand":
      // Inside a substitution, bash accepts a line break only after `&&`, `||` and parentheses.
      return /[^&|()\s\\][ \t]*\n/.exec(source.slice(node.pos, node.end))?.[0];
    case "Case":
      return refusedWord([node.word, ...node.items.flatMap(({ pattern }) => pattern)]);
    case "Redirected":
      for (const redirect of node.redirects) {
        const text = refusedRedirect(source, redirect);
        if (text !== undefined) return text;
      }
  }
  return undefined;
}

const COMMAND_START =
  /(?:(?:^|[\n;|(){}!]|(?<![<>])&|\b(?:do|elif|else|if|then|time|until|while))(?:[ \t]|\\\n)*)$/;

// The parser drops assignments and redirections before a function.
function beforeFunction(source: string, pos: number): string | undefined {
  const before = source.slice(Math.max(0, pos - 100), pos);
  return COMMAND_START.test(before) ? undefined : before;
}

const NO_COMMAND =
  /(?:[ \t]|\\\n)*(?:(?:#.*)?\n|;(?![;&])|(?<=&))(?:\s|#.*\n)*(?:;(?![;&])|&(?!>)|\|)/y;

/** Finds an operator after a complete statement, where bash requires another command. */
export function missingCommand(source: string, { end }: Statement): string | undefined {
  NO_COMMAND.lastIndex = end;
  const found = NO_COMMAND.exec(source)?.[0];
  if (found === undefined) return undefined;
  // Here-documents are between a statement and the next.
  const line = source.slice(source.lastIndexOf("\n", end - 1) + 1, end);
  return /(?<!<)<<(?!<)/.test(line) ? undefined : found;
}

const DESCRIPTOR = /(?:^|[<>|&\s-])(?:\{\w+\}|\d+)[<>]$/;
const NAMED_DESCRIPTOR = /[<>]&\s*\{\w+\}[<>]$/;

/** Finds a redirection that the parser accepts and bash rejects. Undefined if there is none. */
export function refusedRedirect(source: string, node: RedirectionNode): string | undefined {
  // In `>> {x}> f` and `> 2> f` bash assigns the braces or the number to the next redirection.
  const text = source.slice(node.pos, node.end + 1);
  if ((node.operator.endsWith("&") ? NAMED_DESCRIPTOR : DESCRIPTOR).test(text)) return text;
  // After the parentheses of a function, bash reads this brace as the start of the body.
  const word = node.type === "HereDoc" ? node.delimiter : node.target;
  if (word?.text === "{") return text;
  return node.type === "HereDoc" ? textBehind(source, node) : undefined;
}

// An operator at the start of the line after a here-document, which no command precedes.
function textBehind(source: string, { closing }: HereDoc): string | undefined {
  if (closing === undefined) return undefined;
  const behind = source.slice(closing.end, closing.end + 200);
  return /^\n\s*(?:;(?![;&])|[&|])/.exec(behind)?.[0];
}

// Matches three forms: the end is missing; bash searches for the end of arithmetic and finds that of a case or a here-document;
// or parentheses follow `time`.
const REFUSED =
  /^(?:\$\{(?:.*[^}])?$|[$<>]\(\(.*(?:\besac\b|<<)|[$<>]\((?:\s|\\\n)*time\b[^\n;&|]*\()/s;

/** Whether bash rejects a substitution that the parser accepts. */
export const isRefused = (substitution: string): boolean => REFUSED.test(substitution);

/** Whether bash may see the end of arithmetic elsewhere, because it counts parentheses inside `${…}`: `$(( ${x/a ) /b} ))`. */
export const isRefusedSum = (text: string): boolean => /\$\{[^{}]*[()]/.test(text);

/** Finds an array after `time`, which bash rejects inside a substitution. */
export function timedArray({ prefixes, commands: [first] }: Pipeline): string | undefined {
  if (first?.type !== "Command" || !prefixes.some(({ type }) => type === "Time")) return undefined;
  for (const item of first.prefix)
    if (item.type === "Assignment" && "elements" in item.value) return item.text;
  return undefined;
}

/** Finds `time` after a pipe and an empty line. Bash reads it as a keyword there, but the keyword may only begin a pipeline. */
export function lateTime(source: string, { commands }: Pipeline): string | undefined {
  for (const [at, node] of commands.entries()) {
    const before = commands[at - 1];
    if (before === undefined || node.type !== "Command" || node.name?.text !== "time") continue;
    const between = source.slice(before.end, node.name.pos);
    if (/(?<!\\)\n.*(?<!\\)\n/s.test(between)) return between;
  }
  return undefined;
}

/** Finds an operand of a condition that bash rejects, on the left side or as the only one. */
export function refusedOperand(word: WordNode): string | undefined {
  return /^(?:\]\]$|[<>])/.test(word.text) ? word.text : refusedWord([word]);
}

/** Finds a pattern in an array, or a reserved word or an escaped character, which bash rejects in some places. */
export function refusedArray({ value }: AssignmentNode): string | undefined {
  if (!("elements" in value)) return undefined;
  return (
    refusedWord(value.elements) ??
    value.elements.find(({ text }) => RESERVED.test(text) || /\\[;&|()<>]/.test(text))?.text
  );
}

const BRACKETED = /^[^'"\\$`[]*\[[^'"\\$`]*[?*+@!]\(/;

/** Whether a word has a pattern after an opening bracket, which the parser reads as text. */
export const isRefusedWord = (text: string): boolean => text.includes("[") && BRACKETED.test(text);

// Bash reads an extended pattern as text only if an option is set, and searches for the end of `$[` beyond the word.
function refusedWord(words: readonly WordNode[]): string | undefined {
  for (const { parts, text } of words)
    if (text.includes("$[") || parts?.some(({ type }) => type === "ExtendedGlob") === true)
      return text;
  return undefined;
}
