import type { WordNode } from "../parse/syntax.ts";
import { printsFiles } from "../programs/listed-files.ts";
import { noteUnknownLine, quote, type WalkState } from "./walk-state.ts";

const FLOW =
  /^(cd|pushd|popd|exit|return|break|continue|exec|eval|source|\.|command|builtin|unset|set|shopt|trap|:|\[|test)$/;

// The walk relies on what these programs print or do.
const RELIED_ON = /^(?:cd|mktemp|pwd|read|seq|wc)$/;

/** Reads the body of a function, and records whether the function may change the working directory. */
export function readFunction(walk: WalkState, name: WordNode, body: () => void): void {
  const functions = (walk.functions ??= new Map<string, boolean>());
  if (FLOW.test(name.value)) walk.flowUnknown = true;
  if (!functions.has(name.value)) functions.set(name.value, false);
  if (RELIED_ON.test(name.value) || printsFiles(name.value))
    noteUnknownLine(walk, {
      code: "state",
      what: `function ${quote(name.value)}, which hides a program of that name`,
    });
  const before = walk.folderChanges;
  body();
  if (walk.folderChanges > before) functions.set(name.value, true);
}
