import { Argument, Command } from "commander";
import { write } from "../io/output.ts";
import type { CommandSpec, Commands } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { optionOf, readerOf } from "./options.ts";

const EXAMPLES = `
Examples:
  $ bylaw init
  $ bylaw check --tool read_file --args '{"path":"README.md"}'
  $ bylaw check --batch calls.jsonl --json`;

/** Creates the parser with all commands. Only the command that `argv` names is loaded. Errors are thrown as `CommanderError`. */
export async function createProgram(argv: readonly string[]): Promise<Command> {
  const terms = new Map<Command, string>();
  const program = new Command("bylaw")
    .description("Decide what an AI agent may do next, and say why")
    .option("-V, --version", "print the version")
    // Options of `bylaw` itself come before the command. After it they would be ignored silently.
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .helpCommand(true)
    .addHelpText("after", EXAMPLES)
    .configureHelp({ subcommandTerm: (command) => terms.get(command) ?? "help [command]" })
    .exitOverride()
    .configureOutput({ writeOut: (text) => void write(text), outputError: () => {} });
  await addCommands(program, COMMANDS, argv);
  return program;

  async function addCommands(
    group: Command,
    commands: Commands,
    [first, ...rest]: readonly string[],
  ): Promise<void> {
    const [wanted, more] = first === "help" ? [rest[0], rest.slice(1)] : [first, rest];
    for (const [term, [summary, found]] of Object.entries(commands)) {
      const [name = "", ...places] = term.replace(" [options]", "").split(" ");
      const command = group.command(name).description(summary);
      terms.set(command, term);
      if (name !== wanted) continue;
      const spec = typeof found === "function" ? (await found()).command : found;
      command.addHelpText("after", spec.help);
      if (!("commands" in spec)) {
        declare(command, places, spec);
        continue;
      }
      // The parser leaves `help` out where the group does something itself.
      if (spec.alone !== undefined) declare(command.helpCommand(true), [], spec.alone);
      await addCommands(command, spec.commands, more);
    }
  }
}

function declare(
  command: Command,
  places: readonly string[],
  { arguments: described = {}, options, run }: Omit<CommandSpec, "help">,
): void {
  for (const place of places) {
    const argument = new Argument(place);
    const [description = "", words] = described[argument.name()] ?? [];
    argument.description = description;
    if (words !== undefined) argument.argParser(readerOf(place, { words }));
    command.addArgument(argument);
  }
  for (const option of options) command.addOption(optionOf(option));
  command.action(run as (...given: unknown[]) => Promise<void>);
}
