import { lstatSync } from "node:fs";
import { foldName } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { readOperators, type KeptOperator } from "../approvals/operators.ts";
import { checkDistinct, type Secret } from "../config/secret.ts";
import { faultOf, type Log } from "../observe/log.ts";

/** Returns the current operators of a file, or none without a file. Throws BYLAW_OPERATORS_INVALID. */
export type OperatorList = () => readonly KeptOperator[];

/** Milliseconds after a change in which a file may change again with the same size and time. */
const UNSETTLED_MS = 100;

interface ListOptions {
  /** Throws if the operators of a file cannot be accepted. Then none of them is known. */
  readonly check?: (operators: readonly KeptOperator[]) => void;
  /** Called once for each state of the file that cannot be read or accepted. */
  readonly onBroken?: (error: unknown) => void;
}

/** Creates the list. The file is read again only when it has changed, so that requests with unknown texts do not cause reads. */
export function createOperatorList(
  file: string,
  { check = () => {}, onBroken = () => {} }: ListOptions = {},
): OperatorList {
  let known: string | undefined;
  let reported: string | undefined;
  let list: OperatorList = () => [];

  function read(state: string): OperatorList {
    try {
      const operators = state === MISSING ? [] : readOperators(file).operators;
      check(operators);
      return () => operators;
    } catch (error) {
      if (state !== reported) onBroken(error);
      reported = state;
      return () => {
        throw error;
      };
    }
  }

  return () => {
    const { state, settled } = look(file);
    if (state !== known) {
      list = read(state);
      known = settled ? state : undefined;
    }
    return list();
  };
}

const MISSING = "";

// A path that cannot be checked does not count as missing. Reading it reports the problem.
function look(file: string) {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false, bigint: true });
    if (found === undefined) return { state: MISSING, settled: true };
    const { mtimeNs, ctimeNs, ctimeMs, size, ino } = found;
    return {
      state: [mtimeNs, ctimeNs, size, ino].join(" "),
      settled: Math.abs(Date.now() - Number(ctimeMs)) > UNSETTLED_MS,
    };
  } catch {
    return { state: "unseen", settled: false };
  }
}

/** The operators of the file, unless one of their tokens equals another secret. Throws the faults of the secrets and the file. */
export function distinctOperators(
  secrets: readonly Secret[],
  file: string,
  log: Log,
): OperatorList {
  checkDistinct(secrets);
  const operators = createOperatorList(file, {
    check: (list) =>
      checkDistinct(
        secrets,
        list.map(({ name, token }) => ({
          name: `the token of operator ${quote(name)}`,
          digest: token.slice("sha256:".length),
        })),
      ),
    onBroken: (error) =>
      log.error(
        faultOf(error),
        "the file of operators is broken, so none of its operators is known",
      ),
  });
  operators();
  return operators;
}

/** The name of the operator whose token the server was started with. */
export const OPERATOR = "operator";

/**
 * Creates the function that recognizes the names of operators in any spelling. Agents and people share one namespace, and an agent with a
 * person's name would keep that person from answering. While the file of operators is broken, its last valid names count. Throws
 * BYLAW_OPERATORS_INVALID if it was never valid, because then any name may be an operator's.
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
