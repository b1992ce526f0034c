import type { Command } from "commander";
import { pathOf, valueOf } from "./options.ts";

/** `bylaw constitution …` */
export function addConstitutionCommands(program: Command): void {
  const group = program
    .command("constitution")
    .description(
      "Read and change the rules of a run. A run has at most 50, and each lasts an hour.",
    )
    .addHelpText("after", EXAMPLE);
  const add = (name: string, description: string): Command => {
    const command = group.command(name).description(description);
    command
      .option(
        "--store <url>",
        "the store that holds the run (default: .bylaw/store.db)",
        valueOf("--store <url>"),
      )
      .option("--run <name>", "the run", valueOf("--run <name>"));
    return command;
  };
  const changing = (command: Command): Command =>
    command
      .option(
        "--by <person>",
        "who you are: an operator with a token, or a person at a terminal",
        valueOf("--by <person>"),
      )
      .option(
        "--config <file>",
        "the configuration (default: the nearest bylaw.config.* upwards, if any)",
        pathOf("--config <file>"),
      );
  add("get", "Print the rules in force, without extending them")
    .option("--json", "print JSON")
    .addHelpText("after", GET_HELP)
    .action(async (options) => {
      const { getRules } = await import("../commands/constitution.ts");
      await getRules(options);
    });
  changing(add("update", "Add a rule. The 51st replaces the oldest rule of an agent."))
    .requiredOption("--rule <text>", "the rule, in one sentence", valueOf("--rule <text>"))
    .option(
      "--check <json>",
      'a check that enforces it: {"action": "deny", "command": "git push *"}',
      valueOf("--check <json>"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", UPDATE_HELP)
    .action(async (options) => {
      const { updateRules } = await import("../commands/constitution.ts");
      await updateRules(options);
    });
  changing(add("reset", "Replace the rules. An agent replaces only the rules of agents."))
    .option(
      "--rules <file>",
      "a JSON list of {rule, check?}; - reads standard input (default: no rules)",
      pathOf("--rules <file>"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", RESET_HELP)
    .action(async (options) => {
      const { resetRules } = await import("../commands/constitution.ts");
      await resetRules(options);
    });
}

const EXAMPLE = `
Examples:
  $ bylaw constitution get --run refunds`;

const GET_HELP = `
In a step of \`bylaw run\` the run is that of the step.
Exit code: 0 printed, 2 usage error, or a run that cannot be read.

Examples:
  $ bylaw constitution get --run refunds --json`;

const UPDATE_HELP = `
No agent can remove an operator's rule. In a step of \`bylaw run\` the rule counts as the agent's.
Exit code: 0 added, 2 usage error, a rule that is refused, or nobody who may add it.

Examples:
  $ bylaw constitution update --run refunds --rule "Nothing is pushed today." --check '{"action":"deny","command":"git push *"}' --by ada`;

const RESET_HELP = `
Exit code: 0 replaced, 2 usage error, a rule that is refused, or nobody who may replace them.

Examples:
  $ bylaw constitution reset --run refunds --rules rules.json --by ada`;
