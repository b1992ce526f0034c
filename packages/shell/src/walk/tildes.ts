import type { Effect, PathText, Word } from "../analysis.ts";
import { isCdWithoutOperand } from "../effects/working-folder.ts";
import type { WalkState } from "./walk-state.ts";

const OTHER_HOME: PathText = { why: "the home directory, which the line itself changes" };

/** The effects of a command. A `~` in them means the home directory that the line started with. */
export function effectsWithHome(
  walk: WalkState,
  argv: readonly Word[],
  effects: readonly Effect[],
  tildes: readonly Word[] | undefined,
): readonly Effect[] {
  const home = argv[0]?.text === "cd" && isCdWithoutOperand(argv);
  // Only at the end of the line is it known whether the line sets HOME. If it does, the line is analyzed again.
  if (home && walk.home.trusted) walk.home.used = true;
  const own =
    home && !walk.home.trusted
      ? effects.map((effect) => ("path" in effect ? { ...effect, path: OTHER_HOME } : effect))
      : effects;
  return tildes === undefined ? own : withTildes(own, tildes, argv);
}

const MAX_TILDES = 8;
const MAX_PAIRS = 250_000;
const TWO_WAYS: PathText = {
  why: "a path with `~`, which is the home directory in one place and a plain name in another",
};

// A `~` that bash does not expand is a file name, not the home directory.
function withTildes(
  effects: readonly Effect[],
  tildes: readonly Word[],
  argv: readonly Word[],
): readonly Effect[] {
  const large = effects.length * argv.length > MAX_PAIRS;
  return effects.map((effect) => {
    const text = "path" in effect ? effect.path.text : undefined;
    if (!("path" in effect) || text === undefined || !text.startsWith("~")) return effect;
    if (large) return { ...effect, path: TWO_WAYS };
    const many = tildes.length > MAX_TILDES;
    if (!many && !tildes.some((word) => word.text?.endsWith(text) === true)) return effect;
    const home =
      many || argv.some((word) => !tildes.includes(word) && (word.text ?? "").endsWith(text));
    const path: PathText = home ? TWO_WAYS : { ...effect.path, text: `./${text}` };
    return { ...effect, path };
  });
}
