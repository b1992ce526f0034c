import type { Effect, PathText } from "./analysis.ts";
import type { Draft, Outer, Walk } from "./context.ts";
import { START } from "./folder.ts";
import { bringsFiles, isHere, staysInTree } from "./programs/git-tree.ts";

/** A command that may put links into a tree of files without naming them. */
interface Tree {
  readonly by: Draft;
  readonly step: number;
  /** Its tree is that of the folder that the line starts in. */
  readonly here: boolean;
}

const BROUGHT: PathText = { why: "path that may be a link which the line itself brings there (it is known in a line of its own)" };

/** Where what commands read and write lies is not known once another command of the line may have put links in its place. */
export function noteTrees({ commands, folders, outers, steps }: Walk, around: ReadonlyMap<Outer, readonly Effect[]>): void {
  let trees: Tree[] | undefined;
  for (let at = 0; at < commands.length; at++) {
    const by = commands[at];
    if (by !== undefined && bringsFiles(by.argv))
      (trees ??= []).push({
        by,
        step: Math.floor(Math.abs(steps[at] ?? 0)),
        here: isPlain(by) && folders[at] === START && isHere(by.argv),
      });
  }
  if (trees === undefined) return;
  const here = trees.every((tree) => tree.here);
  // Steps never go back, so the first is the earliest.
  const [first, second] = trees;
  for (const [at, draft] of commands.entries()) {
    const step = steps[at] ?? -1;
    // What runs again may go where it has put links itself.
    const tree = first?.by === draft && step > 0 && Number.isInteger(step) ? second : first;
    if (tree === undefined || (step > 0 && step < tree.step)) continue;
    // What is opened for a group is opened before anything in it runs.
    const outer = outers[at];
    const opened = outer?.step !== undefined && outer.step < tree.step ? around.get(outer) : undefined;
    const led = draft.effects.filter((effect) => opened?.includes(effect) !== true && mayLead(effect, draft));
    const kinds = new Set(led.map(({ kind }) => kind));
    if (kinds.size === 0 || (isQuiet(draft) && staysInTree(draft.argv, here && folders[at] === START && isPlain(draft)))) continue;
    draft.effects = [...draft.effects, ...draft.effects.filter(({ kind }) => kinds.delete(kind)).map(elsewhere)];
  }
}

const elsewhere = (effect: Effect): Effect => ("path" in effect ? { kind: effect.kind, path: BROUGHT } : effect);

const isPlain = ({ assignments }: Draft): boolean => assignments.every(({ harmless }) => harmless);

// It opens nothing besides.
const isQuiet = ({ redirections }: Draft): boolean =>
  redirections.every(({ operator, target, writes }) => !writes && (target === undefined || operator.includes(">")) && operator !== "<>");

// Only what stands in a folder may be a link, and the folder that a command works in is one already.
function mayLead(effect: Effect, { argv }: Draft): boolean {
  if (!("path" in effect) || effect.path.text === undefined) return false;
  const { kind, path } = effect;
  if (kind === "execute") return !isProgram(path.text, argv[0]?.text);
  const text = path.text.replace(/^(?:\.(?:\/+|$))+/, "");
  // `git rm` deletes what it has a name for, by way of links too.
  if (kind !== "delete" || argv[0]?.text?.endsWith("git") === true) return text !== "" || path.pattern !== undefined;
  // Who deletes a link leaves what it leads to.
  return /[/~]|^\.\.$/.test(text) || (path.pattern !== undefined && /\/|\*\*/.test(path.pattern));
}

// What is in a program changes with the tree, whether it is a link or not.
const isProgram = (path: string, program: string | undefined): boolean =>
  program?.includes("/") === true && (path === program || path.endsWith(`/${program}`));
