import type { Effect, PathText, Unknown } from "../analysis.ts";
import type { Draft, Group, WalkState } from "../walk/walk-state.ts";
import {
  isMove,
  linkMakerOf,
  looksOnlyAtTheTree,
  usesOwnTree,
  type LinkMaker,
} from "../programs/link-makers.ts";
import { START } from "./working-folder.ts";

const MAX_MAKERS = 8;

interface Maker {
  readonly by: Draft;
  readonly kind: LinkMaker;
  readonly step: number;
}

const REASON: Unknown = {
  code: "state",
  what: "a path that may go through a link made earlier in this line (run this command as a call of its own)",
};

/**
 * Marks commands as unknown that use a path after another command may have made a link. Real paths are resolved before the line
 * runs, so it is unknown where such a path leads.
 */
export function markLaterPaths(
  { commands, folders, outers, steps }: WalkState,
  around: ReadonlyMap<Group, readonly Effect[]>,
): void {
  const makers: Maker[] = [];
  let here = true;
  for (const [at, by] of commands.entries()) {
    const kind = linkMakerOf(by.argv, by.effects);
    if (kind === undefined) continue;
    makers.push({ by, kind, step: Math.floor(Math.abs(steps[at] ?? 0)) });
    here &&= isPlain(by) && folders[at] === START && usesOwnTree(by.argv);
  }
  if (makers.length === 0) return;
  for (const [at, draft] of commands.entries()) {
    const earlier = earlierMakers(makers, draft, steps[at] ?? -1);
    const [first] = earlier;
    if (first === undefined) continue;
    // The files of a group are opened before anything in it runs.
    const outer = outers[at];
    const opened =
      outer?.step !== undefined && outer.step < first.step ? around.get(outer) : undefined;
    const paths = draft.effects.filter(
      (effect) => opened?.includes(effect) !== true && mayUseLink(effect, draft, earlier),
    );
    if (paths.length === 0) continue;
    if (
      isQuiet(draft) &&
      looksOnlyAtTheTree(draft.argv, here && folders[at] === START && isPlain(draft))
    )
      continue;
    const origins = paths.map((path) =>
      isUnmoved(path, draft, earlier) ? asUnlinked(path) : originsOf(path, earlier),
    );
    if (origins.includes(undefined)) draft.unknown = [...draft.unknown, REASON];
    else draft.effects = [...draft.effects, ...origins.flatMap((effects) => effects ?? [])];
  }
}

// Beyond MAX_MAKERS, all makers are equivalent, except the first that does more than change the tree.
function earlierMakers(makers: readonly Maker[], draft: Draft, step: number): readonly Maker[] {
  const repeats = step <= 0 || !Number.isInteger(step);
  const found: Maker[] = [];
  let links = false;
  for (const maker of makers) {
    if (found.length > MAX_MAKERS && maker.kind === "tree") continue;
    // A command that runs once is not affected by its own link.
    if ((maker.by === draft && !repeats) || (step > 0 && step < maker.step)) continue;
    found.push(maker);
    links ||= maker.kind !== "tree";
    if (links && found.length > MAX_MAKERS) break;
  }
  return found;
}

// Whether a path leads where it did before the moves, because none of them may give a name in it. Moving a folder follows no link in it.
function isUnmoved(effect: Effect, { argv }: Draft, makers: readonly Maker[]): boolean {
  const path = textOf(effect);
  if (!("path" in effect) || path === undefined || effect.found !== undefined) return false;
  if (!SIMPLE.test(path) || (effect.below === true && !isMove(argv))) return false;
  const names = namesOf(path).map(folded);
  return (
    !names.includes("") &&
    makers.every(({ by }) => {
      const given = namesGiven(by);
      return given !== undefined && !names.some((name) => given.has(name));
    })
  );
}

type Given = ReadonlySet<string> | undefined;

// Every path of a line is compared with every move before it.
const givenBy = new WeakMap<
  Draft,
  { readonly effects: readonly Effect[]; readonly given: Given }
>();

function namesGiven(draft: Draft): Given {
  const { effects } = draft;
  const known = givenBy.get(draft);
  if (known?.effects === effects) return known.given;
  const given = readGiven(draft);
  givenBy.set(draft, { effects, given });
  return given;
}

// The names that a move may give. If a folder is not there, it may be the new name. Undefined if they are not all known.
function readGiven({ argv, effects }: Draft): Given {
  if (!isMove(argv)) return undefined;
  const texts = [
    ...argv.slice(1).map(({ text }) => (PLAIN_MOVE.test(text ?? "") ? "mv" : text)),
    ...effects.flatMap((effect) => (effect.kind === "write" ? [textOf(effect)] : [])),
  ];
  const given = new Set<string>();
  for (const text of texts) {
    if (text === undefined || !SIMPLE.test(text) || text.startsWith("-")) return undefined;
    given.add(folded(namesOf(text).at(-1) ?? ""));
  }
  return given;
}

// Some file systems ignore case, and dots at the end.
const folded = (name: string): string => name.toLowerCase().replace(/\.+$/, "");

// Names that are otherwise the same in every file system.
const SIMPLE = /^[\w/.@%+,=-]+$/;
// Without a backup, whose name is another one.
const PLAIN_MOVE = /^-[finv]+$/;

// The same effect on a path that must have no link in it before the line runs.
const asUnlinked = (effect: Effect): readonly Effect[] =>
  "path" in effect ? [{ ...effect, path: { text: withoutLinks(textOf(effect) ?? "") } }] : [];

// What was moved or copied to exactly this path. Undefined if that may be anything.
function originsOf(effect: Effect, makers: readonly Maker[]): readonly Effect[] | undefined {
  const path = textOf(effect);
  if (!("path" in effect) || path === undefined || makers.length > MAX_MAKERS) return undefined;
  // A copy of found files may contain links.
  if (effect.found !== undefined) return undefined;
  const origins: Effect[] = [];
  for (const { kind, by } of makers) {
    const filled = by.effects.filter((other) => other.kind === "write" && other.below === true);
    const isHere = (other: Effect): boolean => isSame(textOf(other), path);
    if (kind === "any" || kind === "tree" || (kind === "fills" && !filled.every(isHere)))
      return undefined;
    if (!by.effects.some((other) => other.kind === "write" && isHere(other))) return undefined;
    if (kind === "fills") continue;
    for (const source of by.effects) {
      if (source.kind !== "read") continue;
      const from = textOf(source);
      if (from === undefined) return undefined;
      origins.push({ ...effect, path: { text: withoutLinks(from) } });
      // If `b` is a directory, `mv a b` moves to `b/a`. Otherwise `b/a` was `a/a` before.
      const name = namesOf(path).at(-1) ?? "";
      if (namesOf(from).at(-1) === name)
        origins.push({ ...effect, path: { text: withoutLinks(`${from}/${name}`) } });
    }
  }
  return origins;
}

const textOf = (effect: Effect): string | undefined =>
  "path" in effect ? plainText(effect.path) : undefined;

const plainText = (path: PathText): string | undefined =>
  path.text === undefined || path.pattern !== undefined ? undefined : path.text;

// Keeps `..`, because after a link it leads to a different directory than its text says.
const isSame = (one: string | undefined, other: string): boolean =>
  one !== undefined && namesOf(one).join("/") === namesOf(other).join("/");

const namesOf = (path: string): readonly string[] =>
  path.split("/").filter((name, at) => name !== "." && (name !== "" || at === 0));

/** The path with each name doubled, as `a/../a`. Resolving it fails if one of the names is a link. */
const withoutLinks = (path: string): string =>
  (path.startsWith("/") ? "/" : "") +
  path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .map((name) => (name === ".." || name === "~" ? name : `${name}/../${name}`))
    .join("/");

// The command has only harmless assignments.
const isPlain = ({ assignments }: Draft): boolean => assignments.every(({ harmless }) => harmless);

// No redirection opens a file.
const isQuiet = ({ redirections }: Draft): boolean =>
  redirections.every(
    ({ operator, target, writes }) =>
      !writes && (target === undefined || operator.includes(">")) && operator !== "<>",
  );

// The working directory itself cannot be a new link, but its contents can.
function mayUseLink(effect: Effect, { argv }: Draft, makers: readonly Maker[]): boolean {
  if (!("path" in effect) || effect.path.text === undefined) return false;
  const { kind, path, found } = effect;
  if (found !== undefined) return true;
  if (kind === "delete" && effect.below === true && bringsInto(makers, path.text)) return true;
  if (kind === "execute")
    return !isProgram(path.text, argv[0]?.text) || makers.some((maker) => maker.kind !== "tree");
  const text = path.text.replace(/^(?:\.(?:\/+|$))+/, "");
  // `git rm` also deletes through links.
  if (kind !== "delete" || argv[0]?.text?.endsWith("git") === true)
    return text !== "" || path.pattern !== undefined;
  // Deleting a link leaves its target alone.
  return /[/~]|^\.\.$/.test(text) || (path.pattern !== undefined && /\/|\*\*/.test(path.pattern));
}

// Deleting a folder also deletes what was moved into it.
const bringsInto = (makers: readonly Maker[], folder: string): boolean =>
  makers.some(({ by }) =>
    by.effects.some(
      (other) =>
        other.kind === "write" && other.path.text !== undefined && mayHold(folder, other.path.text),
    ),
  );

// Case is ignored, as some file systems do. Paths from different directories may be the same.
function mayHold(folder: string, path: string): boolean {
  const [names, inside] = [namesOf(folder.toLowerCase()), namesOf(path.toLowerCase())];
  const isComparable = !inside.includes("..") && ROOTED.test(folder) === ROOTED.test(path);
  return !isComparable || names.every((name, at) => name === "" || name === inside[at]);
}

const ROOTED = /^[/~]/;

// A checkout may change the program itself anyway, with or without links.
const isProgram = (path: string, program: string | undefined): boolean =>
  program?.includes("/") === true && (path === program || path.endsWith(`/${program}`));
