import { omitUndefined } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import {
  hasOperators,
  operatorOf,
  operatorsFile,
  readOperators,
  unauthorized,
  type Operator,
} from "@bylaw/orchestrator/approvals";
import { quote } from "@bylaw/wording";
import { z } from "zod";
import { projectOf, type Project } from "../approve/session.ts";
import type { RecordedAnswer } from "../approve/report-answer.ts";
import { answerOnce } from "../commands/approve-answer.ts";
import { usageError } from "../io/report-error.ts";
import { createOperatorLogin, type Login } from "./login.ts";

/** The operator who may answer in the page. */
export interface UiOperator {
  readonly name: string;
  readonly project: Project;
  readonly login: Login;
  /** The roles in which they may answer; `null`: any. */
  readonly roles: () => readonly string[] | null;
  /** Records an answer as `bylaw approve` does, with the same checks. Throws what refuses it. */
  readonly answer: (run: string, id: string, given: unknown) => Promise<RecordedAnswer>;
}

const answerShape = z.strictObject({
  answer: z.enum(["yes", "no"]),
  role: z.string().max(200).optional(),
  reason: z.string().max(10_000).optional(),
});

/**
 * The named operator of the project in the working directory. A terminal is not enough, because an agent can have one too. Throws
 * BYLAW_APPROVAL_UNAUTHORIZED if the project has no such operator, and BYLAW_OPERATORS_INVALID.
 */
export async function uiOperator(name: string, store: string | undefined): Promise<UiOperator> {
  const project = await projectOf({});
  const file = operatorsFile(project.file);
  const isNamed = (one: Pick<Operator, "name">): boolean => foldName(one.name) === foldName(name);
  if (!hasOperators(file) || !readOperators(file).operators.some(isNamed))
    throw unauthorized(
      `${quote(name)} is no operator of this project`,
      "List operators with their tokens in .bylaw/operators.json beside the configuration: docs/approvals.md",
    );
  // The one who signed in last. Only the login knows whether the token still counts.
  let present: { readonly operator: Operator; readonly token: string } | undefined;
  const find = (token: string): Operator | undefined => {
    try {
      const operator = hasOperators(file) ? operatorOf(file, token) : undefined;
      return operator !== undefined && isNamed(operator) ? operator : undefined;
    } catch {
      // While the file is broken, nobody in it is known.
      return undefined;
    }
  };
  return {
    ...{ name, project },
    login: createOperatorLogin((token) => {
      const operator = find(token);
      if (operator !== undefined) present = { operator, token };
      return operator !== undefined;
    }),
    roles: () => present?.operator.roles ?? null,
    async answer(run, id, body) {
      const { data: given } = answerShape.safeParse(body);
      if (given === undefined)
        throw usageError("An answer is `yes` or `no`, with `role` and `reason` where they apply");
      const verdict = given.answer === "yes" ? "approved" : "rejected";
      const { role: as, reason } = given;
      const options = { run, ...omitUndefined({ store, as, reason }) };
      return await answerOnce(verdict, id, options, { token: present?.token, confirmed: true });
    },
  };
}
