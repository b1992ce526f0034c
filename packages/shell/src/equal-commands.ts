import type { ShellCommand, Word } from "./analysis.ts";

/** The different commands of a line, each with the number of times that the line contains it. */
export function countEqual(commands: readonly ShellCommand[]): ReadonlyMap<ShellCommand, number> {
  const times = new Map<ShellCommand, number>();
  const firsts = new Map<string, ShellCommand>();
  // Hundreds of commands may share thousands of words. So each list is read once, and equal lists get the same number.
  const numbers = new Map<readonly Word[], number>();
  const texts = new Map<string, number>();
  const words = new Map<string, number>();
  for (const command of commands) {
    let argv = numbers.get(command.argv);
    if (argv === undefined) {
      const text = command.argv.map((word) => keyOfWord(word, words)).join(" ");
      argv = texts.get(text) ?? texts.size;
      texts.set(text, argv);
      numbers.set(command.argv, argv);
    }
    const key = JSON.stringify({ ...command, argv });
    const first = firsts.get(key) ?? command;
    firsts.set(key, first);
    times.set(first, (times.get(first) ?? 0) + 1);
  }
  return times;
}

// Two words have the same key only if they are equal.
function keyOfWord(word: Word, numbers: Map<string, number>): string {
  const { text, pieces, single, found, pipe, here } = word;
  const more = found ?? pipe ?? here;
  const plain = text !== undefined && single && pieces.length === 1 && more === undefined;
  const key = plain ? text : JSON.stringify(word);
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return plain ? `${number}` : `?${number}`;
}
