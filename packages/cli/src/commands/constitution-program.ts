import type { Command } from "commander";
import { pathOf, valueOf } from "../usage.ts";

/** The commands about the rules that a run gives itself, wired under `bylaw constitution`. */
export function addConstitutionCommands(program: Command): Command {
  const group = program
    .command("constitution")
    .description("See to the rules of a run: at most 50, for an hour.")
    .addHelpText("after", EXAMPLE);
  const add = (name: string, description: string): Command => {
    const command = group.command(name).description(description);
    command
      .option("--store <url>", "where the run is kept (default: .bylaw/store.db)", valueOf("--store <url>"))
      .option("--run <name>", "the run", valueOf("--run <name>"));
    return command;
  };
  const changing = (command: Command): Command =>
    command
      .option("--by <person>", "who says so: an operator with a token, or a person at a terminal", valueOf("--by <person>"))
      .option("--config <file>", "the configuration (default: the nearest one upwards, if any)", pathOf("--config <file>"));
  add("get", "Print the rules that hold now. Keeps none of them alive.")
    .option("--json", "print JSON")
    .addHelpText("after", GET_HELP)
    .action(async (options) => {
      const { getRules } = await import("./constitution.ts");
      await getRules(options);
    });
  changing(add("update", "Add a rule. The 51st takes the place of the oldest that an agent gave."))
    .requiredOption("--rule <text>", "what holds from now on, in one sentence", valueOf("--rule <text>"))
    .option("--check <json>", 'what calls are held to: {"action": "deny", "command": "git push *"}', valueOf("--check <json>"))
    .option("--json", "print JSON")
    .addHelpText("after", UPDATE_HELP)
    .action(async (options) => {
      const { updateRules } = await import("./constitution.ts");
      await updateRules(options);
    });
  changing(add("reset", "Replace the rules; an agent replaces only what agents gave."))
    .option("--rules <file>", "a JSON list of {rule, check?}; - reads the standard input (default: no rules)", pathOf("--rules <file>"))
    .option("--json", "print JSON")
    .addHelpText("after", RESET_HELP)
    .action(async (options) => {
      const { resetRules } = await import("./constitution.ts");
      await resetRules(options);
    });
  return group;
}

const EXAMPLE = `
Examples:
  $ bylaw constitution get --run refunds`;

const GET_HELP = `
In a step of \`bylaw run\` it is the run of the step.
Exit code: 0 printed, 2 usage error, or a run that cannot be read.

Examples:
  $ bylaw constitution get --run refunds --json`;

const UPDATE_HELP = `
An operator's rule is taken away by no agent. In a step of \`bylaw run\` the rule is the agent's.
Exit code: 0 it holds, 2 usage error, a rule that cannot hold, or nobody who may say so.

Examples:
  $ bylaw constitution update --run refunds --rule "Nothing is pushed today." --check '{"action":"deny","command":"git push *"}' --by ada`;

const RESET_HELP = `
Exit code: 0 replaced, 2 usage error, a rule that cannot hold, or nobody who may say so.

Examples:
  $ bylaw constitution reset --run refunds --rules rules.json --by ada`;
