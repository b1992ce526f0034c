import { activates } from "../programs/virtual-environments.ts";
import {
  ANYWHERE,
  folderAfterCd,
  isCdWithoutOperand,
  NOWHERE,
  type Folder,
} from "../effects/working-folder.ts";
import type { Draft, WalkState } from "./walk-state.ts";

/**
 * Whether a command is a `cd -` to a known directory, as in `cd a && make && cd -`. Its effect is then that of `cd .` in that directory.
 */
export function goesBack(walk: WalkState, draft: Draft): boolean {
  const [program, operand, ...more] = draft.argv;
  const back = program?.text === "cd" && operand?.text === "-" && more.length === 0;
  if (!back || walk.previous === undefined || draft.redirections.some(({ writes }) => writes))
    return false;
  if (walk.commands.some(maySetOldFolder)) return false;
  draft.effects = [{ kind: "read", path: { text: "." } }];
  return true;
}

// `cd -` goes to what `OLDPWD` names.
const maySetOldFolder = ({ argv: [program], assignments }: Draft): boolean =>
  assignments.some(({ name }) => /^(?:OLD)?PWD$/.test(name)) ||
  (program !== undefined && (program.text === undefined || DECLARES.test(program.text)));

const DECLARES =
  /^(?:export|declare|typeset|local|readonly|unset|integer|float|let|eval|builtin|set|setopt|trap)$/;

/**
 * Records the working directory of the shell after a command. `ran`: whether the command ran others. `back`: whether it
 * {@link goesBack}. `inOrder`: whether it runs once, after everything before it.
 */
export function recordFolder(
  walk: WalkState,
  draft: Draft,
  name: string,
  folder: Folder,
  {
    ran,
    back,
    inOrder,
  }: { readonly ran: boolean; readonly back: boolean; readonly inOrder: boolean },
): void {
  switch (name) {
    case "cd": {
      const { previous = ANYWHERE } = walk;
      changeFolder(walk, draft, folder);
      if (back) walk.onSuccess = previous;
      walk.previous = inOrder ? folder : undefined;
      return;
    }
    case "source":
    case ".":
      walk.variables.setAllElsewhere();
      walk.previous = undefined;
      if (!activates(draft.argv)) goAnywhere(walk);
      return;
    case "pushd":
      walk.previous = undefined;
      // Without a folder, it goes to one of its stack.
      if (draft.argv.length === 2) return changeFolder(walk, draft, folder);
      return goAnywhere(walk);
    case "popd":
    // In dash and zsh the same as `cd`.
    case "chdir":
      goAnywhere(walk);
      return;
    case "exit":
      // zsh refuses to exit with several arguments, and goes on. `break` and `return` do nothing outside a loop or function.
      if (draft.argv.length <= 2 && draft.argv[1]?.single !== false)
        walk.onSuccess = walk.onFailure = NOWHERE;
      return;
    case "eval":
      if (!ran) walk.onSuccess = walk.onFailure = folder;
      return;
    case "exec":
      if (ran) walk.onSuccess = walk.onFailure = NOWHERE;
      // It may have replaced the standard input, from which `read` sets variables.
      else walk.variables.setAllElsewhere();
      return;
    default:
      if (walk.functions?.get(name) === true) goAnywhere(walk);
  }
}

function changeFolder(walk: WalkState, { argv }: Draft, from: Folder): void {
  const isLost = !walk.home.trusted && isCdWithoutOperand(argv);
  walk.folderChanges++;
  walk.onSuccess = isLost ? ANYWHERE : folderAfterCd(from, argv);
  walk.onFailure = from;
}

function goAnywhere(walk: WalkState): void {
  walk.folderChanges++;
  walk.previous = undefined;
  walk.onSuccess = walk.onFailure = ANYWHERE;
}
