import { messageOf } from "@bylaw/kernel";
import { hasOperators, operatorsFile, readOperators } from "@bylaw/orchestrator/approvals";
import { optionIn } from "./hook-command.ts";

/** The state of a file of operators. */
interface OperatorFinding {
  readonly check: "operators";
  readonly ok: boolean;
  readonly message: string;
}

/** Whether the files of operators beside the configurations of installed commands can be read. */
export const operatorFindings = (commands: readonly string[]): readonly OperatorFinding[] =>
  [...new Set(commands.flatMap((command) => optionIn(command, "config") ?? []))]
    .map(operatorsFile)
    .filter(hasOperators)
    .map(findingOf);

function findingOf(file: string): OperatorFinding {
  try {
    const { operators } = readOperators(file);
    const notified = operators.filter(({ notify }) => notify !== undefined).map(({ name }) => name);
    const names = operators.map(({ name }) => name).join(", ");
    const who = notified.length === 0 ? "Nobody is notified" : `Notified: ${notified.join(", ")}`;
    return { check: "operators", ok: true, message: `Can answer questions: ${names}. ${who}` };
  } catch (error) {
    const message = `Nobody can answer a question: ${messageOf(error)}`;
    return { check: "operators", ok: false, message };
  }
}
