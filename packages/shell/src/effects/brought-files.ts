import type { Effect, Unknown } from "../analysis.ts";
import type { WalkState } from "../walk/walk-state.ts";

const REASON: Unknown = {
  code: "state",
  what: "a copy of a folder that this line itself may fill (run this command as a call of its own)",
};

/**
 * Marks copies of a folder outside the workspace as unknown if another command of the line may add files to that folder, because the host
 * searches it before the line runs. Files inside the workspace were decided when they were written.
 */
export function noteFilledSources({ commands }: WalkState): void {
  for (const draft of commands) {
    const sources = draft.effects.flatMap(broughtFrom);
    if (sources.length === 0) continue;
    const fillers = commands.flatMap((other) =>
      other === draft ? [] : other.effects.flatMap(filledBy),
    );
    if (sources.some((source) => fillers.some((folder) => overlap(source, folder))))
      draft.unknown = [...draft.unknown, REASON];
  }
}

const broughtFrom = (effect: Effect): readonly string[] => {
  const text = "path" in effect ? effect.brings?.text : undefined;
  return text !== undefined && /^(?:[/~]|(?:.*\/)?\.\.(?:\/|$))/.test(text) ? [text] : [];
};

const filledBy = (effect: Effect): readonly string[] =>
  effect.kind === "write" && effect.path.text !== undefined && effect.below === true
    ? [effect.path.text]
    : [];

function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => `${path.replace(/\/+$/, "")}/`);
  return a !== undefined && b !== undefined && (a.startsWith(b) || b.startsWith(a));
}
