import type { Effect, Unknown } from "../analysis.ts";
import type { WalkState } from "../walk/walk-state.ts";
import { normalizePath } from "./written-programs.ts";

const REASON: Unknown = {
  code: "state",
  what: "a copy of a folder that this line itself may fill (run this command as a call of its own)",
};

/**
 * Marks copies of a folder outside the workspace as unknown if another command of the line may write to that folder, because the host
 * searches it before the line runs. Files inside the workspace were decided when they were written.
 */
export function noteFilledSources({ commands }: WalkState): void {
  for (const draft of commands) {
    const sources = draft.effects.flatMap(broughtFrom);
    if (sources.length === 0) continue;
    const fillers = commands.flatMap((other) =>
      other === draft ? [] : other.effects.flatMap(filledBy),
    );
    if (sources.some((source) => fillers.some((filler) => fills(filler, source))))
      draft.unknown = [...draft.unknown, REASON];
  }
}

const broughtFrom = (effect: Effect): readonly string[] => {
  const text = "path" in effect ? effect.brings?.text : undefined;
  return text !== undefined && /^(?:[/~]|(?:.*\/)?\.\.(?:\/|$))/.test(text) ? [text] : [];
};

/** A path that a command writes, and whether it may write anything below it. */
interface Filler {
  readonly path: string;
  readonly below: boolean;
}

const filledBy = (effect: Effect): readonly Filler[] =>
  effect.kind === "write" && effect.path.text !== undefined
    ? [{ path: effect.path.text, below: effect.below === true || "pattern" in effect.path }]
    : [];

// Some file systems ignore case.
const folderOf = (path: string): string => `${normalizePath(path).toLowerCase()}/`;

function fills({ path, below }: Filler, folder: string): boolean {
  const [written, source] = [folderOf(path), folderOf(folder)];
  if (below && source.startsWith(written)) return true;
  // Whatever is written at the path itself is no folder with files, and its copy has a known name.
  return written.startsWith(source) && written !== source;
}
