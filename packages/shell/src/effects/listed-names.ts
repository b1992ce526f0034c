import type { Effect, FoundFiles, PathText, Unknown, Word } from "../analysis.ts";
import type { EffectName } from "../effect-names.ts";
import { mayMatch } from "../programs/found-files.ts";
import { linkMakerOf } from "../programs/link-makers.ts";
import { namedEffects } from "../programs/named-effects.ts";
import { pathOf } from "../programs/path-of-word.ts";
import { actualFolder, type Draft, type WalkState } from "../walk/walk-state.ts";
import { ANYWHERE, resolveEffects } from "./working-folder.ts";

/**
 * What a command may add to the names that exist or that git tracks: `nothing`; `tracked` names of files that exist; `folders` or
 * `files` at paths that it names, none of which a program reads as anything else; or `anything`.
 */
type Added = "nothing" | "tracked" | "folders" | "files" | "anything";

interface Adding {
  readonly draft: Draft;
  /** The files that it gets from a search. */
  readonly found: readonly FoundFiles[];
  readonly step: number;
  readonly added: Added;
}

const REASON: Unknown = {
  code: "state",
  what: "a list of files that this line itself may add names to (run this command as a call of its own)",
};

/**
 * The host lists the names of globs and searches before the line runs. Says which globs that begin with a wildcard are settled then, and
 * forgets what would not hold if a command that runs before, or at the same time, may add names or folders.
 */
export function checkListedNames(walk: WalkState): void {
  const { commands, steps } = walk;
  if (!commands.some(usesList)) return;
  const adding = addingIn(walk);
  const unignoring = walk.commands.flatMap((draft, at) =>
    mayUnignore(draft) ? [{ draft, step: steps[at] ?? -1, isNamed: namesRules(draft) }] : [],
  );
  for (const [at, draft] of commands.entries()) {
    if (!usesList(draft)) continue;
    const step = steps[at] ?? -1;
    const before = adding.filter(
      (other) => !isLater(other.step, step) && !isPassedOn(other, draft),
    );
    const isPlain = before.every(({ added }) => added !== "anything");
    if (draft.effects.some(hasCopiedNames) && !keepsNames(draft, before))
      draft.effects = draft.effects.map(withoutNames);
    if (hasLeadingGlobs(draft) && isPlain && keepsGlobs(draft, Number.isInteger(step)))
      draft.argv = draft.argv.map((word) => settle(walk, at, word));
    if (draft.effects.some(isFound)) checkFound(draft, before);
    const others = unignoring.filter(
      (other) => runOf(other.draft) !== runOf(draft) && !isLater(other.step, step),
    );
    if (others.length > 0) draft.effects = draft.effects.map(withoutAdds);
    if (others.some(({ isNamed }) => isNamed)) draft.effects = draft.effects.map(withoutIgnores);
    if (draft.effects.some(hasNeeds) && !before.every(({ added }) => added === "tracked"))
      draft.effects = draft.effects.map(withoutNeeds);
  }
}

// For each kind, the two earliest commands without found files are enough: a command is never compared with itself, so one remains. All
// commands that run instead of others are kept.
function addingIn({ commands, steps }: WalkState): readonly Adding[] {
  const counts = new Map<Added, number>();
  return commands
    .flatMap((draft, at): readonly Adding[] => {
      const added = addedBy(draft);
      const found = runOf(draft).argv.flatMap((word) => word.found ?? []);
      return added === "nothing" ? [] : [{ draft, found, step: steps[at] ?? -1, added }];
    })
    .toSorted((one, other) => Math.floor(one.step) - Math.floor(other.step))
    .filter(({ added, found, draft }) => {
      if (found.length > 0 || draft.insteadOf !== undefined) return true;
      const count = counts.get(added) ?? 0;
      counts.set(added, count + 1);
      return count < 2;
    });
}

function checkFound(draft: Draft, before: readonly Adding[]): void {
  const { effects } = draft;
  const isPlain = before.every(({ added }) => added !== "anything");
  const lostIndex =
    effects.some(isTracked) &&
    !(isPlain && before.every(({ added }) => added !== "tracked") && keepsIndex(draft));
  // The index may hold names that are not there any more.
  if (effects.some(isSplit) && (lostIndex || !isPlain)) draft.unknown = [...draft.unknown, REASON];
  if (lostIndex) draft.effects = draft.effects.map(untracked);
  if (!keepsFiles(draft, before)) draft.effects = draft.effects.map(inexact);
}

const usesList = (draft: Draft): boolean =>
  hasLeadingGlobs(draft) ||
  draft.effects.some((effect) => isFound(effect) || hasCopiedNames(effect) || hasNeeds(effect));

const isFound = (effect: Effect): boolean =>
  "path" in effect && (effect.found !== undefined || effect.prints === true || isSplit(effect));

// Whether only one of the two runs, or the other is a wrapper such as `npx` that passes the same files on.
const isPassedOn = (other: Adding, draft: Draft): boolean =>
  runOf(other.draft) === runOf(draft) ||
  other.found.some((files) => draft.argv.some((word) => word.found === files));

const runOf = (draft: Draft): Draft => draft.insteadOf ?? draft;

// Whether a command starts only after another has ended.
const isLater = (step: number, than: number): boolean => than > 0 && Math.floor(step) > than;

const LOOKS: ReadonlySet<EffectName> = new Set(["reads", "runs-command"]);
const TRACKS: ReadonlySet<EffectName> = new Set([...LOOKS, "changes-repository"]);
const WRITES: ReadonlySet<EffectName> = new Set([...LOOKS, "writes"]);

// A command of which a glob may find an option is not allowed, so the line does not run.
function addedBy(draft: Draft): Added {
  // A variable that steers other programs is not allowed.
  if (draft.argv.length === 0 && draft.effects.every(({ kind }) => kind === "read"))
    return "nothing";
  const { names, possible } = namedEffects(withOperands(draft));
  const does = (known: ReadonlySet<EffectName>): boolean =>
    [...names, ...possible].every((name) => known.has(name));
  const written = draft.effects.filter(({ kind }) => kind === "write");
  if (written.length > 0)
    return !does(WRITES) || !written.every(isPlainWrite)
      ? "anything"
      : draft.argv[0]?.text === "mkdir"
        ? "folders"
        : "files";
  if (does(LOOKS)) return "nothing";
  // Any other change of the repository may run hooks, which are code of the project.
  return draft.argv[0]?.text === "git" && draft.argv[1]?.text === "add" && does(TRACKS)
    ? "tracked"
    : "anything";
}

// A file that exists is on the list already.
const isPlainWrite = (effect: Effect): boolean =>
  effect.kind === "write" &&
  (effect.exact === true ||
    (effect.below !== true && PLAIN.test(effect.path.text ?? "") && !("pattern" in effect.path)));

// Every name is one word, and no option, file of options, host or `.git`. A path such as `.` is excluded, because it may mean any file there.
const PLAIN =
  /^(?!(?:.*\/)?\.git(?:\/|$))(?!(?:.*\/)?\.{1,2}\/*$)[/~]?(?:[\p{L}\p{N}_.][\p{L}\p{N}\p{M}_.@%+,~-]*(?:\/+|$))+$/iu;

// The files of a group are opened first, and `cp -r` also copies new folders.
const keepsNames = (draft: Draft, before: readonly Adding[]): boolean =>
  draft.redirections.every(({ writes }) => !writes) &&
  before.every(({ added }) => added === "folders" && !isTree(draft));

// Whether it copies folders recursively.
const isTree = ({ effects }: Draft): boolean =>
  effects.some((effect) => hasCopiedNames(effect) && effect.below === true) &&
  effects.every(({ kind }) => kind !== "delete");

type CopyEffect = FileEffect & { readonly path: Extract<PathText, { readonly text: string }> };

const hasCopiedNames = (effect: Effect): effect is CopyEffect =>
  "path" in effect && effect.path.text !== undefined && effect.path.namesOf !== undefined;

// Whether it may change what git ignores. The project's own code may too, but could read the ignored files itself.
const mayUnignore = (draft: Draft): boolean =>
  linkMakerOf(draft.argv, draft.effects) !== undefined ||
  namesRules(draft) ||
  draft.effects.some(
    (effect) =>
      isChange(effect) && effect.below === true && effect.visible !== true && !effect.only,
  );

type FileEffect = Extract<Effect, { readonly path: unknown }>;

const isChange = (effect: Effect): effect is FileEffect =>
  effect.kind === "write" || effect.kind === "delete";

const RULES = [".gitignore", ".ignore", ".rgignore"];

// Whether it changes a file of rules by its name.
const namesRules = ({ effects }: Draft): boolean =>
  effects.some(
    (effect) =>
      isChange(effect) &&
      effect.visible !== true &&
      (effect.only ?? [lastNameOf(effect)]).some((glob) =>
        RULES.some((name) => mayMatch(glob, name)),
      ),
  );

function lastNameOf({ path }: FileEffect): string {
  const text = path.text === undefined ? "*" : (path.pattern ?? path.text);
  const name = text.slice(text.lastIndexOf("/") + 1);
  return /[[\]?\\]/.test(name) ? "*" : name;
}

function withoutAdds(effect: Effect): Effect {
  if (!("path" in effect) || effect.adds === undefined) return effect;
  const { adds: _, ...rest } = effect;
  return rest;
}

function withoutIgnores(effect: Effect): Effect {
  if (!("path" in effect)) return effect;
  const { ignores: _, ...rest } = effect;
  if (effect.found?.ignores === undefined) return rest;
  const { ignores: __, ...found } = effect.found;
  return { ...rest, found };
}

const hasNeeds = (effect: Effect): boolean => "path" in effect && effect.needs !== undefined;

function withoutNeeds(effect: Effect): Effect {
  if (!("path" in effect)) return effect;
  const { needs: _, ...rest } = effect;
  return rest;
}

function withoutNames(effect: Effect): Effect {
  if (!hasCopiedNames(effect)) return effect;
  const { namesOf: _, ...path } = effect.path;
  return { ...effect, path };
}

// A wrapper may run the command in another directory than that in which the shell expands its words.
const hasLeadingGlobs = ({ origin, remote, argv }: Draft): boolean =>
  origin !== "wrapper" && !remote && argv.some(isLeadingGlob);

const isLeadingGlob = ({ globbed, pieces: [first] }: Word): boolean =>
  globbed === true && typeof first !== "string";

// The files of a group are opened before a command in it looks for names. A second round finds what the first has added.
const keepsGlobs = (draft: Draft, once: boolean): boolean =>
  draft.redirections.every(({ writes, target }) => !writes || PLAIN.test(target?.text ?? "")) &&
  (once || addedBy(draft) !== "anything");

const withOperands = (draft: Draft): Draft => ({
  ...draft,
  argv: draft.argv.map((word) => (isLeadingGlob(word) ? { ...word, operand: true } : word)),
});

function settle(walk: WalkState, at: number, word: Word): Word {
  if (!isLeadingGlob(word)) return word;
  const folder = actualFolder(walk, walk.folders[at] ?? ANYWHERE);
  const found = resolveEffects([{ kind: "read", path: pathOf(word) }], folder);
  const [path] = found.flatMap((effect) => ("path" in effect ? effect.path : []));
  if (found.length !== 1 || path?.text === undefined || path.pattern === undefined) return word;
  return { ...word, settled: path.pattern };
}

const isSplit = (effect: Effect): boolean =>
  "path" in effect &&
  (effect.found?.splits === true ||
    (effect.path.text !== undefined && effect.path.splits === true));

const isTracked = (effect: Effect): boolean =>
  "path" in effect && effect.found?.tracked !== undefined;

const USES: ReadonlySet<EffectName> = new Set([
  ...WRITES,
  ...(["moves", "deletes", "runs-project", "installs-code", "network"] as const),
]);

// A second round reads the index again. The names of tracked files are listed only if none of them could be an option.
const keepsIndex = (draft: Draft): boolean =>
  [...namedEffects(draft).names].every((name) => USES.has(name)) && !draft.effects.some(isGitFile);

const isGitFile = (effect: Effect): boolean =>
  "path" in effect && effect.kind !== "read" && /(^|\/)\.git(\/|$)/i.test(effect.path.text ?? "");

function untracked(effect: Effect): Effect {
  if (!("path" in effect) || effect.found?.tracked === undefined) return effect;
  const { tracked: _, changed: __, ...found } = effect.found;
  const { only, ...rest } = effect;
  const narrow = only === undefined || found.recursive === true ? {} : { only };
  return { ...rest, ...narrow, found: { ...found, partial: true } };
}

// Whether the command finds exactly the files that the host lists, unchanged.
const keepsFiles = ({ effects }: Draft, before: readonly Adding[]): boolean =>
  before.every(({ added }) => added === "tracked") &&
  effects.every((effect) => effect.kind !== "write" || isPlainWrite(effect));

function inexact(effect: Effect): Effect {
  if (!("path" in effect)) return effect;
  const { exact: _, ...rest } = effect;
  if (effect.found === undefined) return effect.prints === true ? rest : effect;
  const { changed: __, ...found } = effect.found;
  return { ...rest, found };
}
