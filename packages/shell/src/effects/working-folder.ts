import type { Effect, PathText, Word } from "../analysis.ts";
import { below, mayLeadElsewhere } from "../programs/path-of-word.ts";

/** The directories in which a command may start, relative to that of the line. {@link ANYWHERE} if unknown. */
export type Folder = readonly string[];

/** The directory in which the line starts. */
export const START: Folder = Object.freeze([""]);
/** An unknown directory. */
export const ANYWHERE: Folder = Object.freeze(["?"]);
/** For bodies of functions and traps: {@link START}, unless the line changes directory anywhere. */
export const LATER: Folder = Object.freeze([""]);
/** No directory: the command is never reached. */
export const NOWHERE: Folder = Object.freeze([]);

const MAX_FOLDERS = 4;
const MAX_LENGTH = 256;

/** Combines two alternatives. */
export function eitherFolder(a: Folder, b: Folder): Folder {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  if (a === ANYWHERE || b === ANYWHERE || a === LATER || b === LATER) return ANYWHERE;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_FOLDERS ? ANYWHERE : all;
}

// Finds the operand of `cd`.
function operandOf(argv: readonly Word[]): { readonly at: number; readonly physical: boolean } {
  let at = 1;
  let physical = false;
  for (; at < argv.length; at++) {
    const option = argv[at]?.text;
    if (option === undefined || !/^-[LPe@]+$/.test(option)) break;
    physical = option.includes("P");
  }
  if (argv[at]?.text === "--") at++;
  return { at, physical };
}

export function isCdWithoutOperand(argv: readonly Word[]): boolean {
  return operandOf(argv).at >= argv.length;
}

export function folderAfterCd(from: Folder, argv: readonly Word[]): Folder {
  const { at, physical } = operandOf(argv);
  const word = argv[at];
  if (argv.length > at + 1) return ANYWHERE;
  const to = word === undefined ? "~" : word.text;
  // zsh has more options, and reads `+1` and `-1` as entries of the directory stack.
  const special = to?.startsWith("-") === true && argv[at - 1]?.text !== "--";
  if (
    to === undefined ||
    special ||
    mayLeadElsewhere(to) ||
    /^(?:[-+]\d*)?$/.test(to) ||
    (physical && /(^|\/)\.\.(\/|$)/.test(to))
  )
    return ANYWHERE;
  if (to.startsWith("/") || to.startsWith("~")) return [plain(to)];
  if (from === ANYWHERE || from === LATER) return ANYWHERE;
  const folders = from.map((folder) => plain(folder === "" ? to : `${folder}/${to}`));
  return folders.some(({ length }) => length > MAX_LENGTH) ? ANYWHERE : folders;
}

// Without -P, `..` in a `cd` removes the last name, even if that was a link.
function plain(path: string): string {
  const names: string[] = [];
  const rooted = path.startsWith("/");
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    const last = names.at(-1);
    if (name !== ".." || (last === undefined && !rooted) || last === ".." || last === "~")
      names.push(name);
    else names.pop();
  }
  return (rooted ? "/" : "") + names.join("/");
}

const LOST: PathText = { why: "a relative path after a `cd` that cannot be followed" };

/** Makes the paths of effects relative to the directory in which the line starts. */
export function resolveEffects(effects: readonly Effect[], folder: Folder): readonly Effect[] {
  if (folder === START) return effects;
  const bases = folder === ANYWHERE || folder.length === 0 ? [undefined] : folder;
  return effects.flatMap((effect): readonly Effect[] => {
    if (!("path" in effect) || effect.path.text === undefined) return [effect];
    const isRooted = ROOTED.test(effect.path.text);
    if (isRooted && effect.brings === undefined)
      return [{ ...effect, path: fromRoot(effect.path) }];
    return bases.map((base) => ({
      ...effect,
      path: resolvePath(effect.path, base),
      ...(effect.brings && { brings: resolvePath(effect.brings, base) }),
    }));
  });
}

const ROOTED = /^[/~]/;

function resolvePath(path: PathText, base: string | undefined): PathText {
  if (path.text === undefined) return path;
  if (ROOTED.test(path.text)) return fromRoot(path);
  return base === undefined ? LOST : below({ text: base }, path);
}

function fromRoot(path: PathText): PathText {
  if (path.text === undefined) return path;
  const { namesOf: _, ...rest } = path;
  return rest;
}
