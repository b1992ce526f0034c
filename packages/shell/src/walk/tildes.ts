import type { Effect, PathText, Word } from "../analysis.ts";

const MOST_TILDES = 8;
const MOST_PAIRS = 250_000;
const TWO_WAYS: PathText = {
  why: "a path with `~`, which is the home directory in one place and a plain name in another",
};

/** Effects in which a `~` that bash does not expand is a file name, not the home directory. */
export function withTildes(
  effects: readonly Effect[],
  tildes: readonly Word[],
  argv: readonly Word[],
): readonly Effect[] {
  const large = effects.length * argv.length > MOST_PAIRS;
  return effects.map((effect) => {
    const text = "path" in effect ? effect.path.text : undefined;
    if (!("path" in effect) || text === undefined || !text.startsWith("~")) return effect;
    if (large) return { ...effect, path: TWO_WAYS };
    const many = tildes.length > MOST_TILDES;
    if (!many && !tildes.some((word) => word.text?.endsWith(text) === true)) return effect;
    const home =
      many || argv.some((word) => !tildes.includes(word) && (word.text ?? "").endsWith(text));
    const path: PathText = home ? TWO_WAYS : { ...effect.path, text: `./${text}` };
    return { ...effect, path };
  });
}
