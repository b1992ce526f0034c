import type { Effect, PathText } from "../analysis.ts";
import { namedEffects } from "../programs/named-effects.ts";
import { runsFolder } from "../programs/project-operands.ts";
import { actualFolder, type Draft, type WalkState } from "../walk/walk-state.ts";
import { ANYWHERE, START } from "./working-folder.ts";

/** Notes the working folder of a command that runs code of a project, unless it is the folder where the line starts. */
export function noteProjectFolders(walk: WalkState): void {
  const { commands, folders } = walk;
  for (const [at, draft] of commands.entries()) {
    const folder = actualFolder(walk, folders[at] ?? ANYWHERE);
    if (folder === START || !runsProject(draft)) continue;
    const paths =
      folder === ANYWHERE
        ? commands.flatMap(enteredBy)
        : folder.flatMap((text) => (text === "" ? [] : { text }));
    draft.effects = [...draft.effects, ...paths.map((path): Effect => ({ kind: "project", path }))];
  }
}

const runsProject = (draft: Draft): boolean =>
  runsFolder(draft.argv) || namedEffects(draft).names.has("runs-project");

function enteredBy({ argv, effects }: Draft): readonly PathText[] {
  const name = argv[0]?.text ?? "";
  if (!/^(?:cd|pushd|popd|chdir)$/.test(name)) return [];
  const named = effects.flatMap((effect) => (effect.kind === "read" ? effect.path : []));
  // An earlier call may have left any folder on the stack.
  return named.length === 0 && /^(?:push|pop)d$/.test(name) ? [STACKED] : named;
}

const STACKED: PathText = { why: "a folder that an earlier `pushd` left" };
