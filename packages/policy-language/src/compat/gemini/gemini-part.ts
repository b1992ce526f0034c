import { isJsonObject, type ToolCall } from "@bylaw/kernel";
import type { Analysis, ShellCommand, Word } from "@bylaw/shell";
import { argsText, inJson, plainPairs } from "./gemini-pattern.ts";
import type { GeminiRule } from "./gemini-rule.ts";
import { baseName } from "../../compile/program-name.ts";

/** Whether a rule matches a call that runs no shell line, or the whole line of one that does. */
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

/** A simple command of a line, in the forms that rules compare. */
export interface Part {
  readonly command: ShellCommand;
  /** The words of the command. Undefined unless each is exactly one known word; a pattern of an allow covers nothing else. */
  readonly exact: readonly string[] | undefined;
  /** The words of a command that can only print them, with an empty text for each unknown word. Undefined for other commands. */
  readonly printed: readonly string[] | undefined;
  /** The texts that a pattern is searched in. An allow uses only the first. */
  readonly texts: readonly string[];
}

/** Splits a line into its simple commands. */
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
    // If the line is one command, its text is the line as written, with quotes. Otherwise only the words are known.
    const texts = alone && command === only ? [line.trim(), words.join(" ")] : [words.join(" ")];
    return {
      command,
      exact: known ? words : undefined,
      printed: plain && PRINTS.has(words[0] ?? "") ? words : undefined,
      texts,
    };
  });
}

// No option of these programs writes, runs or loads anything, so the result of a substitution is only text.
const PRINTS: ReadonlySet<string> = new Set(["echo"]);

const isOne = ({ text, single }: Word): boolean => text !== undefined && single;

/** Whether a rule matches one simple command of a line. */
export function fitsPart(rule: GeminiRule, call: ToolCall, argument: string, part: Part): boolean {
  const { prefixes, regex, pattern, effect, blanket } = rule;
  if (blanket) return true;
  const allow = effect === "allow";
  const { command, exact, texts } = part;
  if (prefixes !== undefined) {
    const words = exact ?? part.printed;
    if (!allow) return prefixes.some((prefix) => names(prefix, part, { deny: effect === "deny" }));
    // The prefix must include every word that makes the program do more than its name says.
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

// A deny also matches the program in another folder, or as an argument of a program that may run it.
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
