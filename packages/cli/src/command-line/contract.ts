import type { Command } from "commander";
import { choice, pathOf } from "./options.ts";

/** `bylaw contract …` */
export function addContractCommands(program: Command): void {
  const contract = program
    .command("contract")
    .description("Show and migrate a workflow contract")
    .addHelpText("after", EXAMPLES.contract);
  contract
    .command("show")
    .description(
      "Show the phases of a contract, what each allows and requires, and the transitions between them",
    )
    .argument("<file>", "the contract")
    .addOption(
      choice("--format <format>", "the output format (default: text)", ["text", "mermaid"]),
    )
    .option("--json", "print the contract as JSON, as it is enforced")
    .addHelpText("after", EXAMPLES.show)
    .action(async (file: string, options) => {
      const { showContract } = await import("../commands/contract-show.ts");
      await showContract(file, options);
    });
  contract
    .command("migrate")
    .description("Migrate a contract to the `bylaw: 1` format and repair what it can")
    .argument("<file>", "the contract")
    .option("--out <file>", "where to write it (default: standard output)", pathOf("--out <file>"))
    .option("--force", "let --out overwrite a file")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES.migrate)
    .action(async (file: string, options) => {
      const { migrate } = await import("../commands/contract-migrate.ts");
      await migrate(file, options);
    });
}

const EXAMPLES = {
  contract: `
Examples:
  $ bylaw contract show agent_workflow.yaml
  $ bylaw contract migrate agent_workflow.yaml --out contract.yaml`,
  show: `
Exit code: 0 printed, 2 usage error or a contract with an error.

Examples:
  $ bylaw contract show agent_workflow.yaml
  $ bylaw contract show agent_workflow.yaml --format mermaid`,
  migrate: `
What was changed, and what is still wrong, goes to standard error, or into the JSON.
Exit code: 0 migrated, 1 migrated but errors are left, 2 usage error or a contract that cannot be read.

Examples:
  $ bylaw contract migrate agent_workflow.yaml
  $ bylaw contract migrate agent_workflow.yaml --out contract.yaml --json`,
} as const;
