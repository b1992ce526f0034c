import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { foldName } from "@bylaw/log";
import { usageError } from "../fault.ts";
import { hasOperators, operatorOf } from "./operators.ts";
import { unauthorized } from "./refused.ts";

/** Where the operators of a project stand, beside its configuration. */
const operatorsFile = (configFile: string): string => join(dirname(configFile), ".bylaw", "operators.json");

/** The operator's token, taken out of the environment before any code of a configuration runs. */
export function takeToken(): string | undefined {
  const token = process.env["BYLAW_OPERATOR_TOKEN"];
  delete process.env["BYLAW_OPERATOR_TOKEN"];
  return token;
}

/** Who answers. */
export interface Answerer {
  readonly by: string;
  /** The roles that this person may speak in; left out where nothing says. */
  readonly roles?: readonly string[] | undefined;
  /** Whether it is a person at a terminal, who is asked once more, and no operator with a token. */
  readonly ask: boolean;
}

/**
 * Who answers: the operator whose token is in the environment, or, where the project has no file of operators, a person at a terminal.
 * Throws BYLAW_APPROVAL_UNAUTHORIZED for anybody else.
 */
export function answererOf(configFile: string, by: string | undefined, token: string | undefined): Answerer {
  const file = operatorsFile(configFile);
  if (hasOperators(file)) {
    if (token === undefined || token === "") {
      throw unauthorized(
        "Unexpected answer without a token, expected that of an operator in BYLAW_OPERATOR_TOKEN",
        "set it for this one command; an agent must not know it",
      );
    }
    const { name, roles } = operatorOf(file, token);
    if (by !== undefined && foldName(by) !== foldName(name))
      throw unauthorized(`Unexpected \`${by}\` as who answers, expected \`${name}\`, whose token it is`, "leave `--by` out");
    return { by: name, roles, ask: false };
  }
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw unauthorized(
      "Unexpected answer from where nobody sits, expected a person at a terminal, or an operator's token",
      "answer at a terminal, or keep operators in .bylaw/operators.json beside the configuration: docs/approvals.md",
    );
  }
  if (by === undefined || foldName(by) === "") throw usageError("Unexpected answer by nobody, expected `--by <name>`");
  return { by, ask: true };
}

/** The role that somebody speaks in. Throws BYLAW_APPROVAL_UNAUTHORIZED for one that is not theirs, and where none is given but needed. */
export function roleOf({ by, roles }: Answerer, as: string | undefined, approvers: readonly string[]): string {
  const own = roles === undefined ? approvers : approvers.filter((role) => roles.includes(role));
  if (as !== undefined) {
    if (roles === undefined || roles.includes(as)) return as;
    throw unauthorized(`Unexpected role \`${as}\` of \`${by}\`, expected ${roles.join(", ")}`, "answer in a role of your own");
  }
  const [only, ...others] = own;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined && roles !== undefined)
    throw unauthorized(`Unexpected answer of \`${by}\`, who is ${roles.join(", ")}, expected ${approvers.join(", ")}`, "ask one of them");
  throw usageError(`Unexpected answer without a role, expected \`--as\` with ${own.join(", ") || "one"}`);
}

/** Asks a person at the terminal for a `yes`, on the error stream. Whatever else comes, the end of the input too, is none. */
export function confirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.once("close", () => resolve(false));
    terminal.question(question, (answer) => {
      resolve(answer.trim().toLowerCase() === "yes");
      terminal.close();
    });
  });
}
