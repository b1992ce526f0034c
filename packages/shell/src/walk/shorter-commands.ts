import type { Word } from "../analysis.ts";
import { prefix } from "../programs/word-text.ts";
import type { Draft } from "./walk-state.ts";

/** Adjacent words that may be missing, and the words that may be there instead. */
interface Group {
  readonly from: number;
  readonly until: number;
  readonly instead: readonly (readonly Word[])[];
}

// Each further group doubles the number of commands.
const MAX_GROUPS = 3;

/**
 * The other commands that may run if a substitution prints nothing, or only one path. What follows then may be the value of an option or the
 * first operand, as in `git log --author $(cat no-file) --author --output=x`.
 */
export function shorterCommands(draft: Draft): readonly (readonly Word[])[] {
  const { argv } = draft;
  const groups = groupsOf(argv);
  if (groups.length > MAX_GROUPS) {
    const what = `more than ${MAX_GROUPS} substitutions in one command that may print nothing`;
    draft.unknown = [...draft.unknown, { code: "limit", what }];
    return [];
  }
  // The shorter command is read like any other, so its later substitutions are left out in turn.
  return groups
    .flatMap(({ from, until, instead }) =>
      instead.map((words) => [...argv.slice(0, from).map(certain), ...words, ...argv.slice(until)]),
    )
    .filter((words) => !doesNothing(words));
}

// `rm` without files deletes nothing.
const doesNothing = ([program, ...words]: readonly Word[]): boolean =>
  program?.text === "rm" && words.every((word) => prefix(word).startsWith("-"));

function groupsOf(argv: readonly Word[]): readonly Group[] {
  const groups: Group[] = [];
  for (let from = 0; from < argv.length; from++) {
    const word = argv[from];
    if (word?.optional !== true) continue;
    let until = from + 1;
    if (word.found !== undefined) while (isOptionalFile(argv[until])) until++;
    const files = new Set(argv.slice(from, until).filter(isOptionalFile));
    groups.push({ from, until, instead: [[], ...[...files].map((file) => [certain(file)])] });
    from = until - 1;
  }
  return groups;
}

const isOptionalFile = (word: Word | undefined): word is Word =>
  word?.optional === true && word.found !== undefined;

const certain = ({ optional, ...word }: Word): Word => ({
  ...word,
  single: word.single || optional === true,
});
