import type { Effect, PathText } from "../analysis.ts";
import type { Draft } from "../walk/walk-state.ts";

// They create no file, unless they are redirected.
const WRITE_NOTHING: ReadonlySet<string> = new Set(
  "cd mkdir echo printf ls test [ true :".split(" "),
);

/**
 * Forgets where the names of copies come from, if another command of the line may create files that the glob finds. The names are listed
 * before the line runs.
 */
export function forgetCopiedNames(commands: readonly Draft[]): void {
  for (const draft of commands) {
    if (!draft.effects.some(hasCopiedNames)) continue;
    const others = commands.filter((other) => other !== draft);
    if (others.every(writesNothing)) continue;
    draft.effects = draft.effects.map((effect) => {
      if (!hasCopiedNames(effect)) return effect;
      const { namesOf: _, ...path } = effect.path;
      return { ...effect, path };
    });
  }
}

function hasCopiedNames(effect: Effect): effect is CopyEffect {
  return "path" in effect && effect.path.text !== undefined && effect.path.namesOf !== undefined;
}

type CopyEffect = Extract<Effect, { path: unknown }> & {
  readonly path: Extract<PathText, { readonly text: string }>;
};

const writesNothing = ({ argv: [program], effects }: Draft): boolean =>
  WRITE_NOTHING.has(program?.text ?? "") &&
  (program?.text === "mkdir" || effects.every(({ kind }) => kind !== "write"));
