import { analyze, type Analysis, type ShellCommand, type Word } from "../src/index.ts";

const HOLES = { any: "<?>", name: "<*>", number: "<#>" } as const;

/** A word as text, with `?` for any text, `*` for a name and `#` for a number. */
export function shown(word: Word): string {
  const text = word.pieces
    .map((piece) => (typeof piece === "string" ? piece : HOLES[piece.hole]))
    .join("");
  return word.single ? text : `${text}…`;
}

/** The commands of a line, each as its words with blanks between them. */
export function commandsOf(line: string): string[] {
  return analyze(line).commands.map(({ argv }) => argv.map(shown).join(" "));
}

/** The words of the first command of a line. */
export function wordsIn(line: string): string[] {
  return analyze(line).commands[0]?.argv.map(shown) ?? [];
}

/** All codes of what is not known in a line. */
export function codesOf(analysis: Analysis | string): string[] {
  const { commands, unknown } = typeof analysis === "string" ? analyze(analysis) : analysis;
  return [
    ...new Set(
      [...unknown, ...commands.flatMap((command) => command.unknown)].map(({ code }) => code),
    ),
  ];
}

/** The command with this program name. */
export function commandOf(line: string, name: string): ShellCommand {
  const found = analyze(line).commands.find(({ argv }) => argv[0]?.text === name);
  if (found === undefined) throw new Error(`Unexpected line without ${name}: ${line}`);
  return found;
}

/** The effects on files of the command with this program name, as `read:path`. */
export function filesOf(line: string, name: string): string[] {
  return commandOf(line, name).effects.flatMap((effect) =>
    "path" in effect ? [`${effect.kind}:${effect.path.text ?? "?"}`] : [],
  );
}

/** `kind:path` of all that a line does, and `unknown` where something of it is not known. */
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
