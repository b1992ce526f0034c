import type { Effect, Unknown } from "../analysis.ts";
import type { Draft } from "../walk/walk-state.ts";

const REASON: Unknown = {
  code: "state",
  what: "a list of files that this line itself may add names to (run this command as a call of its own)",
};

// Text that `xargs` reads as several words, or that a program reads as an option, a file of options or a host.
const SPLITS = /[\s'"\\:]|(?:^|\/)[-@+]/;

/**
 * Marks commands as unknown that read a list of names to which another command of the line may add: the host lists the names
 * before the line runs.
 */
export function markSplitNames(commands: readonly Draft[]): void {
  const reading = commands.filter(({ effects }) =>
    effects.some((effect) => "path" in effect && effect.found?.splits === true),
  );
  if (reading.length === 0) return;
  const adding = commands.filter(({ effects }) => effects.some(mayAddName));
  for (const draft of reading)
    if (adding.some((other) => other !== draft)) draft.unknown = [...draft.unknown, REASON];
}

function mayAddName(effect: Effect): boolean {
  if (effect.kind !== "write" || effect.found !== undefined) return false;
  const { path, below } = effect;
  return below === true || path.text === undefined || SPLITS.test(path.pattern ?? path.text);
}
