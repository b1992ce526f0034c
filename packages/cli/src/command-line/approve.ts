import type { Command } from "commander";
import { STORE_TEXT, pathOf, valueOf } from "./options.ts";

/** `bylaw approve …` */
export function addApproveCommands(program: Command): void {
  const group = program
    .command("approve")
    .description("Answer what waits for a person")
    .addHelpText("after", HELP.approve);
  of(group.command("list"), HELP.list)
    .description("List the gates and tool calls that wait for a person")
    .action(async (options) => {
      const { listOpen } = await import("../commands/approve-list.ts");
      await listOpen(options);
    });
  of(group.command("show"), HELP.show)
    .description("Show one question in full, and what changed since it was last asked")
    .argument("<id>", ID_TEXT)
    .action(async (id: string, options) => {
      const { showOpen } = await import("../commands/approve-list.ts");
      await showOpen(id, options);
    });
  answering(group.command("yes"), HELP.yes)
    .description("Approve the gate or tool call with this id")
    .argument("<id>", ID_TEXT)
    .option("--as <role>", "your role, for a gate with several approvers", valueOf("--as <role>"))
    .option("--reason <text>", "why, for a gate", valueOf("--reason <text>"))
    .option(
      "--for <span>",
      "how long the approval of a tool call holds: 30s, 15m, 2h (default: 15m)",
      valueOf("--for <span>"),
    )
    .action(async (id: string, options) => {
      const { answer } = await import("../commands/approve-answer.ts");
      await answer("approved", id, options);
    });
  answering(group.command("no"), HELP.no)
    .description("Reject the gate or tool call with this id. A rejected gate sends the task back.")
    .argument("<id>", ID_TEXT)
    .option("--as <role>", "your role, for a gate with several approvers", valueOf("--as <role>"))
    .option("--reason <text>", "what has to change; the agent reads it", valueOf("--reason <text>"))
    .action(async (id: string, options) => {
      const { answer } = await import("../commands/approve-answer.ts");
      await answer("rejected", id, options);
    });
  answering(group.command("waive"), HELP.waive)
    .description("Waive a check of a gate for a while")
    .requiredOption("--task <id>", "the task", valueOf("--task <id>"))
    .requiredOption("--gate <gate>", "the gate", valueOf("--gate <gate>"))
    .requiredOption("--check <check>", "the check", valueOf("--check <check>"))
    .requiredOption("--reason <text>", "why, in at least 50 characters", valueOf("--reason <text>"))
    .requiredOption("--for <span>", "how long: 30m, 2h, 7d", valueOf("--for <span>"))
    .option("--as <role>", "your role, for a gate with several approvers", valueOf("--as <role>"))
    .action(async (options) => {
      const { waive } = await import("../commands/approve-answer.ts");
      await waive(options);
    });
}

const ID_TEXT = "the id that `bylaw approve list` prints";

function of(command: Command, help: string): Command {
  return command
    .requiredOption("--store <url>", STORE_TEXT, valueOf("--store <url>"))
    .requiredOption("--run <run>", "the run in the store", valueOf("--run <run>"))
    .option(
      "--config <file>",
      "the configuration of the agent's host (default: the nearest bylaw.config.* upwards)",
      pathOf("--config <file>"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", help);
}

const answering = (command: Command, help: string): Command =>
  of(command, help).option(
    "--by <name>",
    "who answers; not needed with an operator's token",
    valueOf("--by <name>"),
  );

const CODES = `
Exit code: 0 recorded, 1 refused and nothing was recorded, 2 usage error, or a configuration or store that cannot be used.`;
const WHO = `
Run it at a terminal, where you confirm with yes, or set BYLAW_OPERATOR_TOKEN to the token of an operator in .bylaw/operators.json.`;

const HELP = {
  approve: `
Exit code: 0 done, 1 refused and nothing was recorded, 2 usage error, or a configuration or store that cannot be used.

Examples:
  $ bylaw approve list --store runs.db --run main
  $ bylaw approve show 0a1b2c3d4e5f6071 --store runs.db --run main
  $ bylaw approve yes 0a1b2c3d4e5f6071 --store runs.db --run main --by ada --as lead`,
  list: `
Exit code: 0 printed, even if nothing waits; 2 usage error, or a configuration or store that cannot be used.

Examples:
  $ bylaw approve list --store runs.db --run main
  $ bylaw approve list --store sqlite:runs.db --run main --json`,
  show: `
Exit code: 0 printed; 2 usage error, an unknown id, or a configuration or store that cannot be used.

Examples:
  $ bylaw approve show 0a1b2c3d4e5f6071 --store runs.db --run main
  $ bylaw approve show 0a1b2c3d4e5f6071 --store runs.db --run main --json`,
  yes: `${WHO}${CODES}

Examples:
  $ bylaw approve yes 0a1b2c3d4e5f6071 --store runs.db --run main --by ada --as lead
  $ bylaw approve yes 0a1b2c3d4e5f6071 --store runs.db --run main --for 5m --json`,
  no: `${WHO}${CODES}

Examples:
  $ bylaw approve no 0a1b2c3d4e5f6071 --store runs.db --run main --by ada --reason 'The plan leaves out the migration.'
  $ bylaw approve no 0a1b2c3d4e5f6071 --store runs.db --run main --reason 'Split it in two.' --json`,
  waive: `${WHO}${CODES}

Examples:
  $ bylaw approve waive --task T1 --gate tests_passing --check coverage_meets_threshold --for 2h --by ada --as lead --store runs.db --run main --reason 'The generated client has no tests of its own; it is covered by the contract tests.'
  $ bylaw approve waive --task T1 --gate tests_passing --check coverage_meets_threshold --for 2h --store runs.db --run main --json --reason 'The generated client has no tests of its own; it is covered by the contract tests.'`,
} as const;
