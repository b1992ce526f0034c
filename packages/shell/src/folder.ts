import type { Effect, PathText, Word } from "./analysis.ts";
import { below } from "./programs/paths.ts";

/** The folders that a command may start in, relative to that of the line; {@link ANYWHERE} where they are not known. */
export type Folder = readonly string[];

/** The folder of the line. */
export const START: Folder = Object.freeze([""]);
/** No `cd` is known to have got there. */
export const ANYWHERE: Folder = Object.freeze(["?"]);
/** The body of a function or a trap: that of the line, unless the line changes it anywhere. */
export const LATER: Folder = Object.freeze([""]);
/** Nothing gets there. */
export const NOWHERE: Folder = Object.freeze([]);

const MOST = 4;
const LONGEST = 256;

/** Either of both. */
export function either(a: Folder, b: Folder): Folder {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  if (a === ANYWHERE || b === ANYWHERE || a === LATER || b === LATER) return ANYWHERE;
  const all = [...new Set([...a, ...b])];
  return all.length > MOST ? ANYWHERE : all;
}

// The position of its operand, behind the options.
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

/** Whether `cd` with these words has no operand. */
export function goesHome(argv: readonly Word[]): boolean {
  return operandOf(argv).at >= argv.length;
}

/** Where `cd` with these words leads to. */
export function changed(from: Folder, argv: readonly Word[]): Folder {
  const { at, physical } = operandOf(argv);
  const word = argv[at];
  if (argv.length > at + 1) return ANYWHERE;
  const to = word === undefined ? "~" : word.text;
  if (to === undefined || to === "-" || to === "" || (physical && /(^|\/)\.\.(\/|$)/.test(to))) return ANYWHERE;
  if (to.startsWith("/") || to.startsWith("~")) return [plain(to)];
  if (from === ANYWHERE || from === LATER) return ANYWHERE;
  const folders = from.map((folder) => plain(folder === "" ? to : `${folder}/${to}`));
  return folders.some(({ length }) => length > LONGEST) ? ANYWHERE : folders;
}

// `cd` without -P forgets links: what it leaves by `..` is the name, not the folder.
function plain(path: string): string {
  const names: string[] = [];
  const rooted = path.startsWith("/");
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    const last = names.at(-1);
    if (name !== ".." || (last === undefined && !rooted) || last === ".." || last === "~") names.push(name);
    else names.pop();
  }
  return (rooted ? "/" : "") + names.join("/");
}

const LOST: PathText = { why: "relative path after a change of folder that cannot be followed" };

/** Effects as seen from the folder that the line starts in. */
export function placed(effects: readonly Effect[], folder: Folder): readonly Effect[] {
  if (folder === START) return effects;
  const result: Effect[] = [];
  for (const effect of effects) {
    if (!("path" in effect) || effect.path.text === undefined || /^[/~]/.test(effect.path.text)) result.push(effect);
    else if (folder === ANYWHERE || folder.length === 0) result.push({ ...effect, path: LOST });
    else for (const base of folder) result.push({ ...effect, path: below({ text: base }, effect.path) });
  }
  return result;
}
