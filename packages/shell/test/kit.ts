import { analyze, type Analysis, type ShellCommand, type Word } from "../src/index.ts";

const HOLES = { any: "<?>", name: "<*>", number: "<#>" } as const;

/** Formats a word, with `?` for any text, `*` for a name and `#` for a number. */
export function shown(word: Word): string {
  const text = word.pieces
    .map((piece) => (typeof piece === "string" ? piece : HOLES[piece.hole]))
    .join("");
  return word.single ? text : `${text}…`;
}

/** Returns the commands of a line, each as its words joined by spaces. */
export function commandsOf(line: string): string[] {
  return analyze(line).commands.map(({ argv }) => argv.map(shown).join(" "));
}

/** Returns the words of the first command of a line. */
export function wordsIn(line: string): string[] {
  return analyze(line).commands[0]?.argv.map(shown) ?? [];
}

/** Returns all codes of unknown parts in a line. */
export function codesOf(analysis: Analysis | string): string[] {
  const { commands, unknown } = typeof analysis === "string" ? analyze(analysis) : analysis;
  return [
    ...new Set(
      [...unknown, ...commands.flatMap((command) => command.unknown)].map(({ code }) => code),
    ),
  ];
}

/** Returns the command with this program name. */
export function commandOf(line: string, name: string): ShellCommand {
  const found = analyze(line).commands.find(({ argv }) => argv[0]?.text === name);
  if (found === undefined) throw new Error(`Unexpected line without ${name}: ${line}`);
  return found;
}

/** Returns the effects on files of the command with this program name, as `read:path`. */
export function filesOf(line: string, name: string): string[] {
  return commandOf(line, name).effects.flatMap((effect) =>
    "path" in effect ? [`${effect.kind}:${effect.path.text ?? "?"}`] : [],
  );
}

/** Returns `kind:path` for every effect of a line, and `unknown` if a part of it is unknown. */
export const does = (line: string): readonly string[] => {
  const { commands, unknown } = analyze(line);
  const found = commands.flatMap((command) => [
    ...command.effects.flatMap((effect) =>
      "path" in effect ? [`${effect.kind}:${effect.path.text ?? "?"}`] : [],
    ),
    ...(command.unknown.length > 0 ? ["unknown"] : []),
  ]);
  return unknown.length > 0 ? [...found, "unknown"] : found;
};
