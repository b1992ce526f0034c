import { lstatSync } from "node:fs";
import { foldName } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import { readOperators, type KeptOperator } from "../approvals/operators.ts";
import { checkDistinct, type Secret } from "../config/secret.ts";
import { faultOf, type Log } from "../observe/log.ts";

/** The operators of a file now; none without a file. Throws BYLAW_OPERATORS_INVALID. */
export type OperatorList = () => readonly KeptOperator[];

/** A file that changed this recently may change again with the same size and time. In milliseconds. */
const UNSETTLED_MS = 100;

interface ListOptions {
  /** Throws where the operators of a file cannot be accepted; then nobody is known by it. */
  readonly check?: (operators: readonly KeptOperator[]) => void;
  /** Is told once of each state of the file that cannot be read or accepted. */
  readonly onBroken?: (error: unknown) => void;
}

/**
 * Makes the list, which is read anew only when its file has changed: whoever asks with a text that nobody knows must not have it read each
 * time.
 */
export function createOperatorList(
  file: string,
  { check = () => {}, onBroken = () => {} }: ListOptions = {},
): OperatorList {
  let known: string | undefined;
  let told: string | undefined;
  let list: OperatorList = () => [];

  function read(state: string): OperatorList {
    try {
      const operators = state === MISSING ? [] : readOperators(file).operators;
      check(operators);
      return () => operators;
    } catch (error) {
      if (state !== told) onBroken(error);
      told = state;
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

interface Look {
  readonly state: string;
  readonly settled: boolean;
}

// What cannot be looked at is not missing: reading says what is wrong with it.
function look(file: string): Look {
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

/** The operators of the file, as long as no token of theirs is another secret too. Throws what is wrong with the secrets and the file. */
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
    onBroken: (error) => log.error(faultOf(error), "nobody is known by the file of operators"),
  });
  operators();
  return operators;
}

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
