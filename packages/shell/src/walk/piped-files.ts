import type { Redirection, Word } from "../analysis.ts";
import type { Redirected } from "../expand/redirections.ts";
import { LIMITS } from "../limits.ts";
import type { Finding, Listing } from "../programs/found-files.ts";
import { listedFiles } from "../programs/listed-files.ts";
import { PIPE, REST, type Input } from "../programs/program-reading.ts";
import type { Node, ParsedScript } from "../parse/syntax.ts";
import { sharesInput } from "../programs/leaves-input.ts";
import type { CommandContext, WalkState } from "./walk-state.ts";

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

/** The files whose paths a substitution prints. `first`: the position of its first command. */
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
  return (files?.files.length ?? 0) <= LIMITS.places ? files : undefined;
}

/** The words, with those for the paths of a list in place of the `$(…)` that prints it. */
export const withLists = (
  words: readonly Word[],
  lists: ReadonlyMap<Word, Listing>,
  wordsFor: (finding: Finding) => readonly Word[],
): readonly Word[] =>
  lists.size === 0
    ? words
    : words.flatMap((word) => {
        const list = lists.get(word);
        // Bash drops zero bytes, splits the rest and reads each part as a glob.
        return list?.zero === false
          ? list.files.flatMap((file) => wordsFor({ ...file, splits: true, expands: true }))
          : [word];
      });

/** What a group reads from: for a loop a list, if a process substitution prints one, as in `while read -r f; do …; done < <(find src)`. */
export function inputOf(
  command: Node,
  { redirections, input }: Redirected,
  lists: ReadonlyMap<Word, Listing>,
  around: Input,
): Input {
  const [read, ...more] = redirections.filter(({ operator }) => operator.startsWith("<"));
  const files = read?.target === undefined ? undefined : lists.get(read.target);
  // zsh reads from several inputs in turn.
  const isShared = redirections.some(sharesInput);
  const isOnly = more.length === 0 && input === PIPE && around.kind !== "pipe" && !isShared;
  if (files && command.type === "While" && isOnly) return { kind: "pipe", files };
  return input ?? (isShared && around.kind === "pipe" && around !== REST ? PIPE : around);
}

/** In the body of a loop over a list, no paths are known if commands may read the rest of the list in another way. */
export function noteShared(
  walk: WalkState,
  { input }: CommandContext,
  redirections: readonly Redirection[],
): void {
  if (input === REST && redirections.some(sharesInput)) walk.variables.contradicted = true;
}
