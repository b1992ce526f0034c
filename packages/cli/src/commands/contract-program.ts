import { Option, type Command } from "commander";
import { pathOf, wordOf } from "../usage.ts";

/** The commands about a workflow contract, wired under `bylaw contract`. */
export function addContractCommands(program: Command): Command {
  const contract = program
    .command("contract")
    .description("Look at a workflow contract, and bring it up to date.")
    .addHelpText("after", EXAMPLES.contract);
  contract
    .command("show")
    .description("Draw the phases of a contract, what each allows and asks for, and the ways between them.")
    .argument("<file>", "the contract")
    .addOption(
      new Option("--format <format>", "how it is drawn (default: text)").choices(FORMATS).argParser(wordOf("--format <format>", FORMATS)),
    )
    .option("--json", "print the contract as it is enforced, as JSON")
    .addHelpText("after", EXAMPLES.show)
    .action(async (file: string, options) => {
      const { showContract } = await import("./contract-show.ts");
      await showContract(file, options);
    });
  contract
    .command("migrate")
    .description("Turn a contract of the original form into one that says `bylaw: 1`, its faults repaired.")
    .argument("<file>", "the contract")
    .option("--out <file>", "write it there (default: the standard output)", pathOf("--out <file>"))
    .option("--force", "let --out overwrite")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES.migrate)
    .action(async (file: string, options) => {
      const { migrate } = await import("./contract-migrate.ts");
      await migrate(file, options);
    });
  return contract;
}

const FORMATS = ["text", "mermaid"];

const EXAMPLES = {
  contract: `
Examples:
  $ bylaw contract show agent_workflow.yaml
  $ bylaw contract migrate agent_workflow.yaml --out contract.yaml`,
  show: `
Exit code: 0 drawn, 2 usage error or a contract with an error.

Examples:
  $ bylaw contract show agent_workflow.yaml
  $ bylaw contract show agent_workflow.yaml --format mermaid`,
  migrate: `
What was changed, and what is still wrong, goes to the error stream, or into the JSON.
Exit code: 0 nothing is left to do, 1 what was written still has an error, 2 usage error or a contract with an error.

Examples:
  $ bylaw contract migrate agent_workflow.yaml
  $ bylaw contract migrate agent_workflow.yaml --out contract.yaml --json`,
} as const;
