import type { Word } from "../analysis.ts";
import { LIMITS } from "../limits.ts";
import type { Finding, Listing } from "../programs/found-files.ts";
import { listedFiles } from "../programs/listed-files.ts";
import type { Node, ParsedScript } from "../parse/syntax.ts";
import type { WalkState } from "./walk-state.ts";

/** Whether a command reads a list of files from a pipe. */
export const readsList = (node: Node): boolean =>
  isLoop(node) ||
  (node.type === "Command" &&
    [node.name, ...node.suffix].some(
      (item) => item?.type === "Word" && /(^|\/)xargs$/.test(item.text),
    ));

/** Whether it is a `while` loop, which may read a path in each round. */
export const isLoop = (node: Node): boolean =>
  node.type === "While" || (node.type === "Redirected" && node.command.type === "While");

/** The files whose paths a command of a pipe prints, if it prints nothing else. */
export function listOf(
  walk: WalkState,
  node: Node | undefined,
  at: number,
  before: Listing | undefined,
): Listing | undefined {
  const draft = walk.commands[at];
  if (
    node?.type !== "Command" ||
    draft === undefined ||
    draft.argv.some(({ pipe }) => pipe === true)
  )
    return undefined;
  const quiet = draft.redirections.every(
    ({ operator, target }) => operator === ">" && target?.text === "/dev/null",
  );
  if (!quiet || draft.assignments.some(({ harmless }) => !harmless)) return undefined;
  return listedFiles(draft.argv, before);
}

/** The files whose paths a substitution prints, a path on each line. `first`: the position of its first command. */
export function listOfScript(
  walk: WalkState,
  script: ParsedScript | undefined,
  first: number,
): Listing | undefined {
  const [statement, ...more] = script?.commands ?? [];
  if (statement === undefined || more.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  const isPipe =
    command.type === "Pipeline" &&
    command.prefixes.length === 0 &&
    command.operators.every((operator) => operator === "|");
  const nodes = isPipe ? command.commands : command.type === "Command" ? [command] : [];
  // A command that runs others is no list.
  if (nodes.length !== walk.commands.length - first) return undefined;
  let files: Listing | undefined;
  for (const [at, node] of nodes.entries()) files = listOf(walk, node, first + at, files);
  return files?.zero === false && files.files.length <= LIMITS.places
    ? splitList(files)
    : undefined;
}

// The shell splits what a substitution prints, and reads each part as a glob.
const splitList = ({ files, zero }: Listing): Listing => ({
  files: files.map((finding) => ({ ...finding, splits: true, expands: true })),
  zero,
});

/** The words, with those for the paths of a list in place of the `$(…)` that prints it. */
export const withLists = (
  words: readonly Word[],
  lists: ReadonlyMap<Word, Listing>,
  wordsFor: (finding: Finding) => readonly Word[],
): readonly Word[] =>
  lists.size === 0
    ? words
    : words.flatMap((word) => lists.get(word)?.files.flatMap(wordsFor) ?? [word]);
