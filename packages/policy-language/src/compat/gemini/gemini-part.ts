import { isJsonObject, type ToolCall } from "@bylaw/kernel";
import type { Analysis, ShellCommand, Word } from "@bylaw/shell";
import { argsText, inJson, plainPairs } from "./gemini-pattern.ts";
import type { GeminiRule } from "./gemini-rule.ts";
import { baseName } from "../../compile/program-name.ts";

/** Whether a rule fits the arguments of a call that runs no shell line, or the line as written. */
export function fitsWhole(rule: GeminiRule, call: ToolCall, line: string | undefined): boolean {
  const { prefixes, regex, pattern, effect } = rule;
  if (prefixes !== undefined) {
    return (
      line !== undefined &&
      prefixes.some((words) => {
        const text = words.join(" ");
        return line.startsWith(text) && [undefined, " ", '"'].includes(line[text.length]);
      })
    );
  }
  if (regex !== undefined) return line !== undefined && regex.line.finds(inJson(line));
  if (pattern === undefined) return true;
  return effect === "allow"
    ? plainPairs(call.args).some((pair) => pattern.finds(pair))
    : pattern.finds(argsText(call.args));
}

/** A simple command of a line, with what the rules compare. */
export interface Part {
  readonly command: ShellCommand;
  /** Its words, where each is exactly one that is known; nothing else is ever covered by a pattern of an allow. */
  readonly exact: readonly string[] | undefined;
  /** Its words with nothing for those that are not known, where the program prints them and can do no more. */
  readonly printed: readonly string[] | undefined;
  /** The texts that a pattern is looked for in: for an allow the first. */
  readonly texts: readonly string[];
}

/** The simple commands of a line. */
export function partsOf({ commands, unknown }: Analysis, line: string): readonly Part[] {
  const [only] = commands;
  const alone =
    commands.filter(({ origin }) => origin !== "sight").length === 1 &&
    unknown.length === 0 &&
    only?.assignments.length === 0 &&
    only.redirections.length === 0;
  return commands.map((command) => {
    const words = command.argv.map(({ text }) => text ?? "");
    const plain =
      command.unknown.length === 0 && command.assignments.length === 0 && command.argv.length > 0;
    const known = plain && command.argv.every(isOne);
    // One command that is the whole line has the line for a text, quotes and all; of others only the words are known.
    const texts = alone && command === only ? [line.trim(), words.join(" ")] : [words.join(" ")];
    return {
      command,
      exact: known ? words : undefined,
      printed: plain && PRINTS.has(words[0] ?? "") ? words : undefined,
      texts,
    };
  });
}

// No option of it writes, runs or loads anything, so what a substitution puts there is only text.
const PRINTS: ReadonlySet<string> = new Set(["echo"]);

const isOne = ({ text, single }: Word): boolean => text !== undefined && single;

/** Whether a rule fits one simple command of a line. */
export function fitsPart(rule: GeminiRule, call: ToolCall, argument: string, part: Part): boolean {
  const { prefixes, regex, pattern, effect, blanket } = rule;
  if (blanket) return true;
  const allow = effect === "allow";
  const { command, exact, texts } = part;
  if (prefixes !== undefined) {
    const words = exact ?? part.printed;
    if (!allow) return prefixes.some((prefix) => names(prefix, part, { deny: effect === "deny" }));
    // What makes a program do more than its name says must be spelt out.
    return prefixes.some(
      (prefix) =>
        prefix.every((word, at) => words?.[at] === word) &&
        command.hazards.every(({ at }) => at < prefix.length),
    );
  }
  if (allow && (exact === undefined || command.hazards.length > 0)) return false;
  if (regex !== undefined) return texts.some((text) => regex.part.finds(inJson(text)));
  if (pattern === undefined) return false;
  return texts.some((text) => {
    const args = isJsonObject(call.args) ? { ...call.args, [argument]: text } : call.args;
    return allow
      ? plainPairs(args).some((pair) => pattern.finds(pair))
      : pattern.finds(argsText(args));
  });
}

// A deny also knows the program in another folder, and as an argument of a program that may run it.
function names(
  words: readonly string[],
  { command }: Part,
  { deny }: { readonly deny: boolean },
): boolean {
  const { argv, carries } = command;
  const last = deny && carries ? argv.length : 1;
  for (let from = 0; from < last; from++) {
    if (
      words.every((word, at) => {
        const text = argv[from + at]?.text;
        return text === word || (deny && at === 0 && text !== undefined && baseName(text) === word);
      })
    ) {
      return true;
    }
  }
  return false;
}
