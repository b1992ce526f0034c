import { activates } from "../programs/virtual-environments.ts";
import {
  ANYWHERE,
  folderAfterCd,
  isCdWithoutOperand,
  NOWHERE,
  type Folder,
} from "../effects/working-folder.ts";
import type { Draft, WalkState } from "./walk-state.ts";

/** Records the working directory of the shell after a command. `ran`: whether the command ran others. */
export function recordFolder(
  walk: WalkState,
  draft: Draft,
  name: string,
  folder: Folder,
  { ran }: { readonly ran: boolean },
): void {
  switch (name) {
    case "cd":
      return changeFolder(walk, draft, folder);
    case "source":
    case ".":
      walk.variables.setAllElsewhere();
      if (!activates(draft.argv)) goAnywhere(walk);
      return;
    case "pushd":
      // Without a folder, it goes to one of its stack.
      if (draft.argv.length === 2) return changeFolder(walk, draft, folder);
      return goAnywhere(walk);
    case "popd":
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
  walk.onSuccess = walk.onFailure = ANYWHERE;
}
