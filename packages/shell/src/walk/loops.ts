import type { Effect, Word } from "../analysis.ts";
import { noteSet } from "../expand/assignments.ts";
import { visitWord } from "../expand/expansions.ts";
import { eachCommit } from "../expand/printed-words.ts";
import { appendWords, withSubstitutions } from "../expand/words.ts";
import { LIMITS } from "../limits.ts";
import type { Node, Statement, WordNode } from "../parse/syntax.ts";
import { ANYWHERE, eitherFolder, resolveEffects, type Folder } from "../effects/working-folder.ts";
import { eachFound, type Listing } from "../programs/found-files.ts";
import { PIPE, REST } from "../programs/program-reading.ts";
import { pathOf } from "../programs/path-of-word.ts";
import { prefix } from "../programs/word-text.ts";
import { together } from "./walk-pending.ts";
import { actualFolder, changesHere, type CommandContext, type WalkState } from "./walk-state.ts";

const DIGITS = /^\d+$/;
// `seq` prints only numbers.
const NUMBERS = /^(?:\d+|\{\d+\.\.\d+(?:\.\.\d+)?\}|\$\(seq(?: \d+){1,3}\))$/;

/** Reads the words of a loop. */
export function readLoopWords(
  walk: WalkState,
  { name, wordlist = [] }: Extract<Node, { type: "For" | "Select" }>,
): readonly Word[] {
  const number = wordlist.length > 0 && wordlist.every(({ text }) => NUMBERS.test(text));
  noteSet(walk, name.text, { number });
  const words: Word[] = [];
  if (number && !(wordlist.length <= LIMITS.rounds && wordlist.every(isDigits))) {
    for (const word of wordlist) visitWord(walk, word);
    words.push({ text: undefined, pieces: [{ hole: "number" }], single: true });
  } else for (const word of wordlist) appendWords(walk, word, words);
  // No command has these words.
  walk.tildes = undefined;
  return words;
}

type Commands = readonly Statement[];
type While = Extract<Node, { type: "While" }>;

/** Walks a `while` or `until` loop. */
export function walkWhile(
  walk: WalkState,
  node: While,
  place: CommandContext,
  walkList: (walk: WalkState, commands: Commands, place: CommandContext) => void,
): void {
  const { input } = place;
  const list = input.kind === "pipe" ? input.files : undefined;
  const variable = list === undefined ? undefined : readVariable(node, list);
  const words = variable === undefined ? [] : (list?.files.flatMap(eachFound) ?? []);
  const around = list === undefined ? place : { ...place, input: PIPE };
  walkLoop(walk, around, (inside) => {
    const clause = (): void => walkList(walk, node.clause.commands, inside);
    if (variable === undefined) clause();
    else walk.variables.readEach(variable, clause);
    const folder = eitherFolder(walk.onSuccess, walk.onFailure);
    const rest = variable === undefined ? inside.input : REST;
    const body = (): void => walkList(walk, node.body.commands, { ...inside, folder, input: rest });
    if (variable === undefined) body();
    else walk.variables.forEach(variable, words, walk, body);
  });
}

const READ = /^(?:-r )?(?:-(r?d) (?:''|"") )?([A-Za-z_]\w*)$/;

// The variable that holds the next path of a list in each round, as `f` does in `while IFS= read -r f`.
function readVariable({ kind, clause }: While, { files, zero }: Listing): string | undefined {
  const [statement, ...more] = clause.commands;
  const command = statement?.command;
  if (kind !== "while" || more.length > 0 || command?.type !== "Command") return undefined;
  const { name, prefix, suffix } = command;
  const isPlain = prefix.every(
    (item) =>
      item.type === "Assignment" &&
      item.name === "IFS" &&
      item.value.type === "Word" &&
      item.value.text === "",
  );
  if (name?.text !== "read" || !isPlain || statement?.background === true) return undefined;
  const words = suffix.map((item) => (item.type === "Word" ? item.text : ";"));
  const [, byZero, variable] = READ.exec(words.join(" ")) ?? [];
  const isRead = (byZero !== undefined) === zero && files.length <= LIMITS.places;
  return isRead ? variable : undefined;
}

const isDigits = ({ text }: WordNode): boolean => DIGITS.test(text);

/** Walks the body of a loop once with each of its words, unless there are too many, or a person chooses. */
export function walkRounds(
  walk: WalkState,
  { type, name, wordlist = [] }: Extract<Node, { type: "For" | "Select" }>,
  words: readonly Word[],
  round: () => void,
): void {
  const [list, more] = wordlist;
  const printed =
    type === "For" && list !== undefined && more === undefined
      ? eachCommit(withSubstitutions(walk, list))
      : undefined;
  const rounds = type === "For" && words.length <= LIMITS.rounds ? words : [];
  if (printed === undefined) walk.variables.forEach(name.text, rounds, walk, round);
  else
    walk.variables.forPrinted(
      name.text,
      { text: printed, folderChanges: walk.folderChanges },
      round,
    );
}

const isName = (piece: Word["pieces"][number]): boolean =>
  typeof piece === "object" && piece.hole === "name";

const OUTSIDE = /^(?:[/~]|(?:.*\/)?\.\.\/)/;

// A body tells what the shell finds outside, whatever it prints: `for f in ~/*; do echo "x$f"; done`. So does the list of a `select`.
function noteNames(walk: WalkState, first: number, words: readonly Word[], from: Folder): void {
  const globs = words.filter((word) => word.pieces.some(isName) && OUTSIDE.test(prefix(word)));
  if (globs.length === 0) return;
  const reads = globs.map((word): Effect => ({ kind: "read", path: pathOf(word) }));
  const effects = resolveEffects(reads, actualFolder(walk, from));
  for (const draft of walk.commands.slice(first)) draft.effects = [...draft.effects, ...effects];
}

/** Walks a loop, for some over words. If it changes the working directory, its next round starts in another directory. */
export function walkLoop(
  walk: WalkState,
  place: CommandContext,
  body: (inside: CommandContext) => void,
  words: readonly Word[] = [],
): void {
  const first = walk.commands.length;
  const before = changesHere(walk);
  body(place.once ? { ...together(place), once: false } : place);
  noteNames(walk, first, words, place.folder);
  walk.onSuccess = walk.onFailure = place.folder;
  if (changesHere(walk) === before) return;
  walk.cwd.changes = true;
  for (let at = first; at < walk.folders.length; at++) walk.folders[at] = ANYWHERE;
  walk.onSuccess = walk.onFailure = ANYWHERE;
}
