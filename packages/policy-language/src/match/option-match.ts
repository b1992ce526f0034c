import { otherFirstWords, readOptions, type CommandOptions, type Word } from "@bylaw/shell";
import { alignAny, alignKnown, mayFit, type Certainty, type Operand } from "./operand-match.ts";
import { compileGlob, type Glob } from "./glob.ts";

interface Pattern {
  readonly options: readonly { readonly name: string; readonly value: Glob | undefined }[];
  readonly operands: readonly Glob[];
}

interface Command extends CommandOptions {
  readonly given: readonly Operand[];
  readonly doubtful: boolean;
}

/**
 * Compiles a pattern that is compared by what the program understands: any spelling and position of an option, its
 * value, and any name of the subcommand. Compiled when the first command is compared.
 */
export function compileOptionMatch(
  program: string,
  words: readonly string[],
  { open }: { readonly open: boolean },
): (argv: readonly Word[], from: number) => Certainty {
  let pattern: Pattern | null | undefined;
  return (argv, from) => {
    if (pattern === undefined) pattern = readPattern(program, words);
    if (pattern === null) return 0;
    const command = readCommand(program, argv, from);
    return command === undefined ? 0 : match(pattern, command, open);
  };
}

/** Every matching command contains at least one of these words. Undefined if that cannot be said. */
export function firstWordsOfOptions(
  program: string,
  words: readonly string[],
): readonly string[] | undefined {
  const pattern = readPattern(program, words);
  if (pattern === null) return [];
  const name = pattern.operands[0]?.literal;
  const others = name === undefined ? undefined : otherFirstWords(program, name);
  return name === undefined || others === undefined ? undefined : [name, ...others];
}

function readPattern(program: string, words: readonly string[]): Pattern | null {
  // A pattern with a wildcard in an option's name can only be compared as written.
  if (words.some((word) => word.startsWith("-") && /[*?[\]]/.test(word.split("=")[0] ?? word)))
    return null;
  const argv = [program, ...words].map((text): Word => ({ text, pieces: [text], single: true }));
  const read = readOptions(program, argv, 1);
  if (read === undefined) return null;
  return {
    options: read.options
      .filter(({ implied }) => implied !== true)
      .map(({ name, value }) => ({
        name,
        value: value?.text === undefined ? undefined : compileGlob(value.text),
      })),
    operands: read.operands.map(({ word }) => compileGlob(word.text ?? "*")),
  };
}

// Rules about one program ask about the same words one after the other.
let last:
  | {
      readonly argv: readonly Word[];
      readonly from: number;
      readonly program: string;
      readonly command: Command | undefined;
    }
  | undefined;

function readCommand(program: string, argv: readonly Word[], from: number): Command | undefined {
  if (last?.argv === argv && last.from === from && last.program === program) return last.command;
  const read = readOptions(program, argv, from);
  const command =
    read === undefined
      ? undefined
      : {
          ...read,
          given: read.operands.map(({ word, after }): Operand => {
            const text = word.single ? word.text : undefined;
            return { text, word, after, loose: text === undefined && !word.single };
          }),
          doubtful: read.operands.some(({ word }) => word.text === undefined || !word.single),
        };
  last = { argv, from, program, command };
  return command;
}

function match({ options, operands }: Pattern, command: Command, open: boolean): Certainty {
  let certainty: Certainty = 2;
  for (const option of options) {
    const found = present(option, command);
    if (found === 0 && !command.open) return 0;
    if (found !== 2) certainty = 1;
  }
  if (!open && command.options.length > 0 && options.length === 0) return 0;
  if (!open && command.open) certainty = 1;
  if (alignKnown(operands, command.given, open)) return certainty;
  return command.doubtful && alignAny(operands, command.given, open) ? 1 : 0;
}

function present(
  { name, value: wanted }: Pattern["options"][number],
  { options }: Command,
): Certainty {
  let certainty: Certainty = 0;
  for (const { name: given, value } of options) {
    if (given !== name) continue;
    if (wanted === undefined) return 2;
    if (value === undefined) continue;
    if (value.text !== undefined && value.single) {
      if (wanted.matches(value.text)) return 2;
    } else if (mayFit(wanted, value)) certainty = 1;
  }
  return certainty;
}
