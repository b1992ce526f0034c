import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { isData } from "./argument-names.ts";
import { jsonIn } from "./json-text.ts";

const LINES: ReadonlySet<string> = new Set([
  ...["command", "commands", "cmd", "cmds", "command_line", "commandLine", "CommandLine"],
  ...["shell_command", "script", "argv"],
]);
const WORDS = ["args", "arguments"];
const NONE: readonly string[] = [];

// A tool with such a name types these arguments into a shell.
const TYPES = /shell|bash|zsh|terminal|console|stdin|(?:^|_)(?:sh|pty|tty)(?:_|$)/i;
const TYPED: ReadonlySet<string> = new Set([
  ...["input", "chars", "text", "data", "keys", "line", "stdin"],
]);
const MAX_DEPTH = 16;

/**
 * The arguments of a tool that look like a command line by their name, at any depth, and what a tool types into a shell, as its name
 * says. The value may be text or a list of words.
 */
export function embeddedLines(tool: string, args: JsonObject): readonly string[] {
  let lines: string[] | undefined;
  const types = TYPES.test(tool);
  const visit = (value: Json, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const item of value as readonly Json[]) visit(item, depth + 1);
    else if (isJsonObject(value))
      for (const name in value) {
        if (!Object.hasOwn(value, name)) continue;
        const item = value[name] ?? null;
        if (LINES.has(name) || (types && TYPED.has(name)))
          (lines ??= []).push(...linesIn(item, value, types));
        if (typeof item !== "string") visit(item, depth + 1);
        // What a file contains is no call, even if it is JSON.
        else if (!isData(name, { search: true })) visit(jsonIn(item), depth + 1);
      }
  };
  visit(args, 0);
  return lines ?? NONE;
}

function linesIn(value: Json, args: JsonObject, types: boolean): readonly string[] {
  if (typeof value === "string") {
    const words = WORDS.flatMap((more) => wordsOf(args[more]));
    // Keys such as `{enter}` end a line.
    const text = types ? value.replaceAll(/\{\w+\}/g, "\n") : value;
    return [words.length === 0 ? text : `${text} ${quoted(words)}`];
  }
  if (!Array.isArray(value)) return NONE;
  // Either the words of one line, or several lines.
  const words = wordsOf(value);
  return [quoted(words), ...words.filter((word) => /\s/.test(word))];
}

const wordsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one !== "object").map(String) : NONE;

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
