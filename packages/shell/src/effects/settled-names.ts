import type { Effect, PathText, Word } from "../analysis.ts";
import { namedEffects } from "../programs/named-effects.ts";
import { pathOf } from "../programs/path-of-word.ts";
import { actualFolder, type Draft, type WalkState } from "../walk/walk-state.ts";
import { ANYWHERE, resolveEffects } from "./working-folder.ts";

/**
 * The names of globs are listed before the line runs. Says which globs that begin with a wildcard are settled then, and forgets where
 * the names of copies come from if a command that runs before may add some.
 */
export function settleNames(walk: WalkState): void {
  const { commands, steps } = walk;
  if (!commands.some((draft) => hasLeadingGlobs(draft) || draft.effects.some(hasCopiedNames)))
    return;
  const adding = commands.flatMap((draft, at) =>
    addsNoName(draft) ? [] : [{ draft, step: steps[at] ?? -1 }],
  );
  const makesFolders = commands.some(isMkdir);
  for (const [at, draft] of commands.entries()) {
    const copies = draft.effects.some(hasCopiedNames);
    const leads = hasLeadingGlobs(draft);
    if (!copies && !leads) continue;
    const step = steps[at] ?? -1;
    const settled = adding.every((other) => other.draft === draft || isLater(other.step, step));
    // The files of a group are opened first, and `cp -r` also copies new folders.
    const kept =
      settled &&
      draft.redirections.every(({ writes }) => !writes) &&
      !(isTree(draft) && makesFolders);
    if (copies && !kept) draft.effects = draft.effects.map(withoutNames);
    if (
      leads &&
      settled &&
      opensNoOption(draft) &&
      (Number.isInteger(step) || addsNoName(ownOperands(draft)))
    )
      draft.argv = draft.argv.map((word) => settle(walk, at, word));
  }
}

const hasLeadingGlobs = (draft: Draft): boolean =>
  isOwnShell(draft) && draft.argv.some(isLeadingGlob);

// A wrapper may run the command in another directory than that in which the shell expands its words.
const isOwnShell = ({ origin, remote }: Draft): boolean => origin !== "wrapper" && !remote;

const isLeadingGlob = ({ globbed, pieces: [first] }: Word): boolean =>
  globbed === true && typeof first !== "string";

// The command as it is if its globs find no option, which is what its first round needs.
const ownOperands = (draft: Draft): Draft => ({
  ...draft,
  argv: draft.argv.map((word) => (isLeadingGlob(word) ? { ...word, operand: true } : word)),
});

// The files of a group are opened before a command in it looks for names.
const opensNoOption = ({ redirections }: Draft): boolean =>
  redirections.every(({ writes, target }) => !writes || !mayBeOption(target?.text));

// Whether a command starts only after another has ended.
const isLater = (step: number, than: number): boolean => than > 0 && Math.floor(step) > than;

function settle(walk: WalkState, at: number, word: Word): Word {
  if (!isLeadingGlob(word)) return word;
  const folder = actualFolder(walk, walk.folders[at] ?? ANYWHERE);
  const found = resolveEffects([{ kind: "read", path: pathOf(word) }], folder);
  const [path] = found.flatMap((effect) => ("path" in effect ? effect.path : []));
  if (found.length !== 1 || path?.text === undefined || path.pattern === undefined) return word;
  return { ...word, settled: path.pattern };
}

const isMkdir = ({ argv: [program] }: Draft): boolean => program?.text === "mkdir";

// Whether it copies folders with everything in them.
const isTree = ({ effects }: Draft): boolean =>
  effects.some((effect) => hasCopiedNames(effect) && effect.below === true) &&
  effects.every(({ kind }) => kind !== "delete");

function addsNoName(draft: Draft): boolean {
  const { names, possible } = namedEffects(draft);
  const only = isMkdir(draft) ? FOLDERS : READS;
  return (
    [...names, ...possible].every((name) => only.has(name)) && !draft.effects.some(mayAddOption)
  );
}

const READS: ReadonlySet<string> = new Set(["reads"]);
const FOLDERS: ReadonlySet<string> = new Set(["reads", "writes"]);

const mayAddOption = (effect: Effect): boolean =>
  effect.kind === "write" && mayBeOption(textOf(effect.path));

const textOf = (path: PathText): string | undefined =>
  path.text === undefined ? undefined : (path.pattern ?? path.text);

// Whether some name in a path may be read as an option.
const mayBeOption = (path: string | undefined): boolean =>
  path === undefined || path.split("/").some((name) => /^[-*?[]/.test(name));

function hasCopiedNames(effect: Effect): effect is CopyEffect {
  return "path" in effect && effect.path.text !== undefined && effect.path.namesOf !== undefined;
}

type CopyEffect = Extract<Effect, { path: unknown }> & {
  readonly path: Extract<PathText, { readonly text: string }>;
};

function withoutNames(effect: Effect): Effect {
  if (!hasCopiedNames(effect)) return effect;
  const { namesOf: _, ...path } = effect.path;
  return { ...effect, path };
}
