import type { Word } from "../analysis.ts";

/**
 * The script that activates a virtual environment of Python in a visible folder. It is code of the project, like the programs of the
 * environment, which the shell finds first from then on. It changes no directory.
 */
const SCRIPT = /^(?:\.\/)?(?:[\w-][\w.-]*\/){0,4}(?:\.venv|venv|env)\/bin\/activate$/;

/** Whether the words are `source` or `.`, and nothing but the script of a virtual environment. */
export const activates = ([program, script, ...more]: readonly Word[]): boolean =>
  /^(?:source|\.)$/.test(program?.text ?? "") &&
  more.length === 0 &&
  SCRIPT.test(script?.text ?? "");
