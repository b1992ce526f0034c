import { didYouMean } from "@bylaw/wording";
import type { Problem } from "./problems.ts";
import type { Template } from "./template.ts";

/** Finds problems of tracks and choices: undeclared names, and options that belong to two choices. Pure. */
export function checkTracks(
  { tracks, choices, steps }: Template,
  pathOf: (index: number) => readonly PropertyKey[],
): readonly Problem[] {
  const problems: Problem[] = [];
  const onTracks = new Set(Object.keys(tracks?.options ?? {}));
  const options = new Map<string, string>();
  const check = (
    names: readonly string[],
    known: ReadonlySet<string>,
    what: string,
    path: readonly PropertyKey[],
  ): void => {
    for (const name of names) {
      if (known.has(name)) continue;
      const fix = didYouMean(name, known);
      problems.push({
        path,
        message: `Unknown ${what} \`${name}\``,
        ...(fix === undefined ? {} : { fix }),
      });
    }
  };
  const preset = tracks?.default ?? null;
  if (preset !== null) check([preset], onTracks, "track", ["tracks", "default"]);
  for (const { id, options: own } of choices) {
    for (const option of Object.keys(own)) {
      const other = options.get(option);
      if (other !== undefined)
        problems.push({
          path: ["choices", id],
          message: `The option \`${option}\` belongs to two choices; keep it in \`${other}\``,
        });
      options.set(option, id);
    }
  }
  const known = new Set(options.keys());
  for (const { id, tracks: on, after } of choices) {
    check(on ?? [], onTracks, "track", ["choices", id, "tracks"]);
    if (after !== null) check([after], known, "option", ["choices", id, "after"]);
  }
  steps.forEach((step, index) => {
    check(step.tracks ?? [], onTracks, "track", [...pathOf(index), "tracks"]);
    check(step.choices, known, "option", [...pathOf(index), "choices"]);
    check(step.choices_any, known, "option", [...pathOf(index), "choices_any"]);
  });
  return problems;
}
