import { Command } from "commander";
import { write } from "../io/output.ts";
import { addApproveCommands } from "./approve.ts";
import { addBehaviorCommands } from "./behavior.ts";
import { addConstitutionCommands } from "./constitution.ts";
import { addContractCommands } from "./contract.ts";
import { addLogCommands } from "./log.ts";
import { addMcpCommand } from "./mcp.ts";
import { addDecideCommands, addPolicyCommands, addStartCommands } from "./policy.ts";
import { addRunCommand } from "./run.ts";
import { addServeCommand } from "./serve.ts";
import { addStatusCommands } from "./status.ts";
import { addTemplateCommands } from "./template.ts";

const EXAMPLES = `
Examples:
  $ bylaw init
  $ bylaw check --tool read_file --args '{"path":"README.md"}'
  $ bylaw check --batch calls.jsonl --json`;

/** The commands, wired. Throws `CommanderError` instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("bylaw")
    .description("Decide what an AI agent may do next, and say why")
    .option("-V, --version", "print the version")
    // An option of `bylaw` itself stands before the command; after it, it would be dropped in silence.
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .helpCommand(true)
    .addHelpText("after", EXAMPLES);
  for (const add of [
    addDecideCommands,
    addPolicyCommands,
    addStatusCommands,
    addLogCommands,
    addApproveCommands,
    addContractCommands,
    addBehaviorCommands,
    addRunCommand,
    addMcpCommand,
    addConstitutionCommands,
    addServeCommand,
    addTemplateCommands,
    addStartCommands,
  ])
    add(program);
  for (const command of withSubcommands(program))
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => void write(text), outputError: () => {} });
  return program;
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];
