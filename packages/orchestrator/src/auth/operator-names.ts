import { lstatSync } from "node:fs";
import { foldName } from "@bylaw/log";
import { readOperators } from "../approvals/operators.ts";

/** The name of the operator whose token the server was started with. */
export const OPERATOR = "operator";

/**
 * Makes the function that knows the names of operators, however they are written: agents and people share one space of names, and an agent
 * that has a person's would keep that person from answering. The file is read anew when it has changed; while it is broken the names that it
 * had last are known. Throws BYLAW_OPERATORS_INVALID where it never was whole: then any name might be one.
 */
export function createOperatorNames(file: string): (name: string) => boolean {
  let names: ReadonlySet<string> | undefined;
  let read: string | undefined;
  return (name) => {
    const state = stateOf(file);
    if (state !== read || names === undefined) {
      try {
        const operators = state === MISSING ? [] : readOperators(file).operators;
        names = new Set([OPERATOR, ...operators.map((one) => one.name)].map(foldName));
        read = state;
      } catch (error) {
        if (names === undefined) throw error;
      }
    }
    return names.has(foldName(name));
  };
}

const MISSING = "";

// What cannot be looked at is not missing: reading says what is wrong with it.
function stateOf(file: string): string {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found === undefined ? MISSING : [found.mtimeMs, found.ctimeMs, found.size, found.ino].join(" ");
  } catch {
    return "unseen";
  }
}
