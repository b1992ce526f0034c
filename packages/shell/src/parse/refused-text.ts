import type {
  AssignmentNode,
  CompoundNode,
  HereDoc,
  Pipeline,
  Statement,
  WordNode,
} from "./syntax.ts";

const RESERVED =
  /^(?:[!{}]|\[\[|\]\]|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)$/;

/** Text of a compound command that the parser takes and bash refuses. Undefined if there is none. */
export function refusedText(source: string, node: CompoundNode): string | undefined {
  switch (node.type) {
    case "Coproc": {
      // Bash takes the first word for a name, and the second for what a compound command begins with.
      const [second] = node.body.type === "Command" ? node.body.suffix : [];
      return second?.type === "Word" && RESERVED.test(second.text) ? second.text : undefined;
    }
    case "For":
    case "Select": {
      const head = source.slice(node.name.end, node.body.pos);
      if (node.wordlist === undefined && /^[^;]*\n[^;]*;/.test(head)) return head;
      if (/\bin(?:[ \t]|\\\n)*[<>]/.test(head)) return head;
      return extendedGlob([node.name, ...(node.wordlist ?? [])]);
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
      // Bash looks for the end of arithmetic first, and may find another one.
      return source.startsWith("((", node.pos) ? "((" : undefined;
    case "TestCommand":
      // Inside a substitution bash takes a line break behind `&&`, `||` and parentheses alone.
      return /[^&|()\s\\][ \t]*\n/.exec(source.slice(node.pos, node.end))?.[0];
    case "Case":
      return extendedGlob([node.word, ...node.items.flatMap(({ pattern }) => pattern)]);
    case "Redirected":
      for (const redirect of node.redirects) {
        const text = redirect.type === "HereDoc" ? textBehind(source, redirect) : undefined;
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

/** An operator behind a statement and its end, where bash misses a command. */
export function missingCommand(source: string, { end }: Statement): string | undefined {
  NO_COMMAND.lastIndex = end;
  const found = NO_COMMAND.exec(source)?.[0];
  if (found === undefined) return undefined;
  // Here-documents are between a statement and the next.
  const line = source.slice(source.lastIndexOf("\n", end - 1) + 1, end);
  return /(?<!<)<<(?!<)/.test(line) ? undefined : found;
}

/** An operator at the start of the line that follows a here-document, which bash takes for an empty command. */
export function textBehind(source: string, { closing }: HereDoc): string | undefined {
  if (closing === undefined) return undefined;
  const behind = source.slice(closing.end, closing.end + 200);
  return /^\n\s*(?:;(?![;&])|[&|])/.exec(behind)?.[0];
}

// Without its end; or bash looks for the end of arithmetic, and finds that of a case or a here-document; or parentheses behind `time`.
const REFUSED =
  /^(?:\$\{(?:.*[^}])?$|[$<>]\(\(.*(?:\besac\b|<<)|[$<>]\((?:\s|\\\n)*time\b[^\n;&|]*\()/s;

/** Whether bash refuses a substitution that the parser takes. */
export const isRefused = (substitution: string): boolean => REFUSED.test(substitution);

/** An array behind `time`, which bash refuses inside a substitution. */
export function timedArray({ prefixes, commands: [first] }: Pipeline): string | undefined {
  if (first?.type !== "Command" || !prefixes.some(({ type }) => type === "Time")) return undefined;
  for (const item of first.prefix)
    if (item.type === "Assignment" && "elements" in item.value) return item.text;
  return undefined;
}

/** `time` after a pipe and an empty line, where bash reads it as its keyword, which may only begin a pipeline. */
export function lateTime(source: string, { commands }: Pipeline): string | undefined {
  for (const [at, node] of commands.entries()) {
    const before = commands[at - 1];
    if (before === undefined || node.type !== "Command" || node.name?.text !== "time") continue;
    const between = source.slice(before.end, node.name.pos);
    if (/(?<!\\)\n.*(?<!\\)\n/s.test(between)) return between;
  }
  return undefined;
}

/** An operand on the left of a condition, or of one that has no other, that bash refuses. */
export function refusedOperand(word: WordNode): string | undefined {
  return /^(?:\]\]$|[<>])/.test(word.text) ? word.text : extendedGlob([word]);
}

/** A pattern in an array; or a reserved word or an escaped sign, which bash refuses in some places. */
export function refusedArray({ value }: AssignmentNode): string | undefined {
  if (!("elements" in value)) return undefined;
  return (
    extendedGlob(value.elements) ??
    value.elements.find(({ text }) => RESERVED.test(text) || /\\[;&|()<>]/.test(text))?.text
  );
}

const BRACKETED = /^[^'"\\$`[]*\[[^'"\\$`]*[?*+@!]\(/;

/** A pattern behind an opening bracket, which the parser takes for text. */
export const isRefusedWord = (text: string): boolean => text.includes("[") && BRACKETED.test(text);

// Bash takes these for text only where an option is set.
function extendedGlob(words: readonly WordNode[]): string | undefined {
  for (const { parts, text } of words)
    if (parts?.some(({ type }) => type === "ExtendedGlob") === true) return text;
  return undefined;
}
