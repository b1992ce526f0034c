import type { Log } from "../observe/logger.ts";
import { quote } from "@bylaw/wording";
import type { KeptOperator } from "../approvals/operators.ts";
import { checkDistinct, type NamedSecret } from "../config/distinct-secrets.ts";
import { faultOf } from "../observe/fault.ts";
import { createOperatorList, type OperatorList } from "./operator-list.ts";

/** The operators of the file, as long as no token of theirs is another secret too. Throws what is wrong with the secrets and the file. */
export function distinctOperators(
  secrets: readonly NamedSecret[],
  file: string,
  log: Log,
): OperatorList {
  checkDistinct(secrets);
  const tokenOf = ({ name, token }: KeptOperator): NamedSecret => ({
    name: `the token of operator ${quote(name)}`,
    digest: token.slice("sha256:".length),
  });
  const operators = createOperatorList(file, {
    check: (list) => checkDistinct([...secrets, ...list.map(tokenOf)]),
    onBroken: (error) => log.error(faultOf(error), "nobody is known by the file of operators"),
  });
  operators();
  return operators;
}
