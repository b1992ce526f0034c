import type { Json, JsonObject } from "@bylaw/kernel";

const LINES: ReadonlySet<string> = new Set([
  "command",
  "cmd",
  "command_line",
  "commandLine",
  "CommandLine",
  "shell_command",
  "script",
  "argv",
]);
const WORDS = ["args", "arguments"];
const NONE: readonly string[] = [];

/** The arguments of a tool that look like a command line by their name. The value may be text or a list of words. */
export function embeddedLines(args: JsonObject): readonly string[] {
  let lines: string[] | undefined;
  for (const name in args) {
    if (!LINES.has(name) || !Object.hasOwn(args, name)) continue;
    const value: Json = args[name] ?? null;
    if (typeof value === "string") {
      const words = WORDS.flatMap((more) => wordsOf(args[more]));
      (lines ??= []).push(words.length === 0 ? value : `${value} ${quoted(words)}`);
    } else if (Array.isArray(value)) (lines ??= []).push(quoted(wordsOf(value)));
  }
  return lines ?? NONE;
}

const wordsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.map(String) : NONE;

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
