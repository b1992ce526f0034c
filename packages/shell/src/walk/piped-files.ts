import { listedFiles } from "../programs/listed-files.ts";
import type { Listing } from "../programs/found-files.ts";
import type { Node } from "../parse/syntax.ts";
import type { WalkState } from "./walk-state.ts";

/** Whether a command reads a list of files from a pipe. */
export const readsList = (node: Node): boolean =>
  node.type === "Command" &&
  [node.name, ...node.suffix].some(
    (item) => item?.type === "Word" && /(^|\/)xargs$/.test(item.text),
  );

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
