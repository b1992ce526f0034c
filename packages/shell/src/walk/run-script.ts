import type { Word } from "../analysis.ts";
import { LATER } from "../effects/working-folder.ts";
import { LIMITS } from "../limits.ts";
import { hiddenCharacter } from "../parse/characters.ts";
import { parseScript } from "../parse/syntax.ts";
import type { WalkScript } from "./walk-pending.ts";
import {
  HOLE,
  noteLimit,
  noteUnknownLine,
  quote,
  type CommandContext,
  type Draft,
  type WalkState,
} from "./walk-state.ts";

/** Walks a script in an argument. Its unknown parts are recorded for the command that runs it, or for the line. */
export function runScript(
  walk: WalkState,
  script: Word,
  place: CommandContext,
  draft: Draft | undefined,
  walkScript: WalkScript,
): void {
  const text = textOf(walk, script);
  if (script.text === undefined) {
    const reason = { code: "dynamic_script", what: "a script known only at run time" } as const;
    if (draft === undefined) noteUnknownLine(walk, reason);
    else if (!draft.unknown.some(({ code }) => code === reason.code))
      draft.unknown = [...draft.unknown, reason];
  }
  if (text === undefined) return;
  if (place.scripts >= LIMITS.scripts)
    return noteLimit(walk, `more than ${LIMITS.scripts} nested scripts`);
  if ((walk.scripted += text.length) > LIMITS.length * 3)
    return noteLimit(walk, "too much script text to analyze");
  const hidden = hiddenCharacter(
    script.text ?? script.pieces.filter((piece) => typeof piece === "string").join(""),
  );
  if (hidden !== undefined)
    noteUnknownLine(walk, { code: "syntax", what: `character ${hidden} in a script` });
  const parsed = parseScript(text);
  if (parsed === undefined)
    return noteUnknownLine(walk, { code: "syntax", what: `script ${quote(text)}` });
  const { source } = walk;
  walk.source = text;
  walk.variables.hide(() =>
    walkScript(walk, parsed, { ...place, outer: undefined, scripts: place.scripts + 1 }),
  );
  walk.source = source;
}

// The text of a script, with {@link HOLE} for unknown parts. Undefined if nothing is known.
function textOf(walk: WalkState, { text, pieces }: Word): string | undefined {
  if (text !== undefined) return text;
  if (!pieces.some((piece) => typeof piece === "string" && piece.trim() !== "")) return undefined;
  walk.holes = true;
  return pieces.map((piece) => (typeof piece === "string" ? piece : HOLE)).join("");
}

/** Walks the values of variables that are command lines: editors, pagers, prompts. */
export function runValues(walk: WalkState, place: CommandContext, script: WalkScript): void {
  const { values } = walk;
  if (values !== undefined) {
    walk.values = undefined;
    const inside = {
      ...place,
      origin: "script",
      once: false,
      order: "later",
      folder: LATER,
    } as const;
    for (const value of values) {
      const text = value.text?.replace(/^[|-]+/, "");
      runScript(walk, text === undefined ? value : textWord(text), inside, undefined, script);
    }
  }
  walk.onSuccess = walk.onFailure = place.folder;
}

export const textWord = (text: string): Word => ({ text, pieces: [text], single: true });
