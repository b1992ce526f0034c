import { foldName } from "@bylaw/log";
import type { KeptOperator } from "../approvals/operators.ts";
import type { OperatorList } from "./operator-list.ts";

/** The name of the operator whose token the server was started with. */
export const OPERATOR = "operator";

/**
 * Makes the function that knows the names of operators, however they are written: agents and people share one space of names, and an agent
 * that has a person's would keep that person from answering. While the file of operators is broken the names that it had last are known.
 * Throws BYLAW_OPERATORS_INVALID where it never was whole: then any name might be one.
 */
export function createOperatorNames(operators: OperatorList): (name: string) => boolean {
  let names: ReadonlySet<string> | undefined;
  let folded: readonly KeptOperator[] | undefined;
  return (name) => {
    try {
      const now = operators();
      if (names === undefined || now !== folded)
        names = new Set([OPERATOR, ...now.map((one) => one.name)].map(foldName));
      folded = now;
    } catch (error) {
      if (names === undefined) throw error;
    }
    return names.has(foldName(name));
  };
}
