import type { Effect } from "../analysis.ts";
import type { EffectName } from "../effect-names.ts";
import { namedEffects } from "../programs/named-effects.ts";
import type { Draft } from "../walk/walk-state.ts";

/**
 * Forgets that git tracks the files of a list, if a command of the line may change what git tracks or where it looks. The host reads
 * the index before the line runs.
 */
export function forgetTrackedFiles(commands: readonly Draft[]): void {
  if (!commands.some(usesTracked) || commands.every(leavesIndex)) return;
  for (const draft of commands)
    if (usesTracked(draft)) draft.effects = draft.effects.map(untracked);
}

const isTracked = (effect: Effect): boolean =>
  "path" in effect && effect.found?.tracked !== undefined;

const usesTracked = ({ effects }: Draft): boolean => effects.some(isTracked);

const LOOKS: readonly EffectName[] = ["reads", "runs-command"];
const USES: readonly EffectName[] = [
  ...LOOKS,
  ...(["writes", "moves", "deletes", "runs-project", "installs-code", "network"] as const),
];

function leavesIndex(draft: Draft): boolean {
  if (draft.effects.some(isGitFile)) return false;
  const { names, possible } = namedEffects(draft);
  // The names of tracked files are listed only if none of them could be an option.
  return usesTracked(draft)
    ? [...names].every((name) => USES.includes(name))
    : [...names, ...possible].every((name) => LOOKS.includes(name));
}

const isGitFile = (effect: Effect): boolean =>
  "path" in effect && effect.kind !== "read" && /(^|\/)\.git(\/|$)/i.test(effect.path.text ?? "");

function untracked(effect: Effect): Effect {
  if (!("path" in effect) || effect.found?.tracked === undefined) return effect;
  const { tracked: _, ...found } = effect.found;
  const { only, ...rest } = effect;
  const narrow = only === undefined || found.recursive === true ? {} : { only };
  return { ...rest, ...narrow, found: { ...found, partial: true } };
}
