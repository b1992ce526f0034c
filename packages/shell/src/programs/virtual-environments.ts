import type { Word } from "../analysis.ts";

/**
 * The scripts that activate a virtual environment of Python. They are code of the project, like the programs of the environment, which
 * the shell finds first from then on. They change no directory.
 */
export const ACTIVATE_SCRIPTS: readonly string[] = [".venv", "venv", "env"].flatMap((folder) => [
  `${folder}/bin/activate`,
  `./${folder}/bin/activate`,
]);

const known: ReadonlySet<string> = new Set(ACTIVATE_SCRIPTS);

/** Whether the words are `source` or `.`, and nothing but the script of a virtual environment. */
export const activates = ([, script, ...more]: readonly Word[]): boolean =>
  more.length === 0 && script?.text !== undefined && known.has(script.text);
