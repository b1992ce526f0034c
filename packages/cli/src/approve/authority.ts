import { createInterface } from "node:readline";
import { foldName } from "@bylaw/log";
import {
  hasOperators,
  operatorOf,
  operatorsFile,
  rolesOf,
  unauthorized,
  type Answerer,
  type Operator,
} from "@bylaw/orchestrator/approvals";
import { quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";

/** Removes the operator's token from the environment and returns it. Call it before any code of a configuration runs. */
export function takeToken(): string | undefined {
  const token = process.env["BYLAW_OPERATOR_TOKEN"];
  delete process.env["BYLAW_OPERATOR_TOKEN"];
  return token;
}

/** The person or operator who answers. */
export interface CommandAnswerer extends Answerer {
  /** Whether to ask for a confirmation: true for a person at a terminal, false for an operator with a token. */
  readonly ask: boolean;
}

/**
 * The person or operator who answers. If the project has an operators file, only an operator with a token may answer; otherwise
 * only a person at a terminal. Throws BYLAW_APPROVAL_UNAUTHORIZED for anybody else.
 */
export function answererOf(
  configFile: string,
  by: string | undefined,
  token: string | undefined,
): CommandAnswerer {
  const file = operatorsFile(configFile);
  if (hasOperators(file)) {
    if (token === undefined || token === "") {
      throw unauthorized(
        "Answering needs an operator's token in BYLAW_OPERATOR_TOKEN",
        "Set it for this one command; keep it away from agents",
      );
    }
    const { name, roles } = knownBy(file, token);
    if (by !== undefined && foldName(by) !== foldName(name))
      throw unauthorized(
        `The token belongs to ${quote(name)}, not to ${quote(by)}`,
        "Remove `--by`",
      );
    return { by: name, roles, ask: false };
  }
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw unauthorized(
      "Only a person at a terminal, or an operator with a token, can answer",
      "Answer at a terminal, or list operators in .bylaw/operators.json beside the configuration: docs/approvals.md",
    );
  }
  if (by === undefined || foldName(by) === "")
    throw usageError("`--by <name>` is missing: say who answers");
  return { by, ask: true };
}

function knownBy(file: string, token: string): Operator {
  const operator = operatorOf(file, token);
  if (operator !== undefined) return operator;
  throw unauthorized(
    "The token in BYLAW_OPERATOR_TOKEN belongs to no operator",
    "Set it to a token of at least 32 characters whose digest is in the operators file",
  );
}

/**
 * Returns the role in which a person answers. Throws BYLAW_APPROVAL_UNAUTHORIZED for a role that the person does not have, and
 * BYLAW_USAGE_INVALID if there are several and none was chosen.
 */
export function roleOf(
  who: Answerer,
  as: string | undefined,
  approvers: readonly string[],
): string {
  const [only, ...others] = rolesOf(who, as, approvers);
  if (only !== undefined && others.length === 0) return only;
  throw usageError(
    `Say in which role you answer: \`--as\` ${[only, ...others].join(", ") || "<role>"}`,
  );
}

/** Asks the person at the terminal, on standard error. The end of the input, or the signal, is an empty answer. */
export function askedFor(question: string, stop?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const close = (): void => terminal.close();
  stop?.addEventListener("abort", close);
  // The terminal turns an interruption into an event of its own.
  terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  return new Promise((resolve) => {
    terminal.once("close", () => {
      stop?.removeEventListener("abort", close);
      resolve("");
    });
    terminal.question(question, (answer) => {
      resolve(answer.trim());
      terminal.close();
    });
  });
}

/** Asks the person at the terminal. Only `yes` confirms; any other answer, or the end of the input, does not. */
export const confirmed = async (question: string): Promise<boolean> =>
  (await askedFor(question)).toLowerCase() === "yes";
