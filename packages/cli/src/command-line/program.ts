import { Argument, Command } from "commander";
import { write } from "../io/output.ts";
import type { CommandSpec, Commands } from "./command.ts";
import { optionOf, readerOf } from "./options.ts";

const EXAMPLES = `
Examples:
  $ bylaw init
  $ bylaw check --tool read_file --args '{"path":"README.md"}'
  $ bylaw check --batch calls.jsonl --json`;

const COMMANDS: Commands = {
  "check [options] [words...]": [
    "Decide one tool call, or every call of a batch",
    () => import("../commands/check.ts"),
  ],
  "explain [options]": [
    "Decide one tool call and show how every plugin voted and why",
    () => import("../commands/explain.ts"),
  ],
  "install [options] <host>": [
    "Put Bylaw into a coding agent",
    () => import("../commands/install.ts"),
  ],
  "uninstall [options] <host>": [
    "Take Bylaw out of a coding agent",
    () => import("../commands/uninstall.ts"),
  ],
  "doctor [options] <host>": [
    "Check that a coding agent asks Bylaw and obeys",
    () => import("../commands/doctor.ts"),
  ],
  "hook [options] <host> [event]": [
    "Answer one event of a coding agent; `bylaw install` sets this up",
    () => import("../commands/hook.ts"),
  ],
  "test [options] [file...]": [
    "Test a policy against cases and report what they do not cover",
    () => import("../commands/test.ts"),
  ],
  "lint [options] [file...]": ["Lint policies and contracts", () => import("../commands/lint.ts")],
  "replay [options] [log]": [
    "Decide recorded calls again with another policy and list what would change",
    () => import("../commands/replay.ts"),
  ],
  "status [options]": [
    "Show the status of a run, agent by agent and round by round",
    () => import("../commands/status.ts"),
  ],
  "tasks [options]": ["Show where the tasks of a run stand", () => import("../commands/tasks.ts")],
  "report [options] [file...]": [
    "Report how often rules were enforced in runs, why, and at what cost",
    () => import("../commands/report.ts"),
  ],
  log: ["Verify, read and copy the log of a run", () => import("../commands/log.ts")],
  approve: ["Answer what waits for a person", () => import("../commands/approve.ts")],
  contract: ["Show and migrate a workflow contract", () => import("../commands/contract.ts")],
  behavior: ["Evaluate what agents ask of their workflow", () => import("../commands/behavior.ts")],
  "run [options] [template]": [
    "Run a workflow template step by step, and resume it after a crash",
    () => import("../commands/run.ts"),
  ],
  "mcp [options] [server...]": [
    "Serve the tools of a run to an agent over MCP, or guard an MCP server",
    () => import("../commands/mcp.ts"),
  ],
  constitution: [
    "Read and change the rules of a run. A run has at most 50, and each lasts an hour.",
    () => import("../commands/constitution.ts"),
  ],
  "serve [options]": [
    "Serve agents over HTTP under the contract",
    () => import("../commands/serve.ts"),
  ],
  "agents [options] <file>": [
    "Start the agents that a contract asks for, and report their verdicts",
    () => import("../commands/agents.ts"),
  ],
  template: ["List, show and validate workflow templates", () => import("../commands/template.ts")],
  "import [options] <source> <file...>": [
    "Convert the rules of another tool into a policy that allows nothing more",
    () => import("../commands/import.ts"),
  ],
  "init [options] [dir]": [
    "Create a working configuration and policy, without overwriting anything",
    () => import("../commands/init.ts"),
  ],
};

/** The parser of all commands, with the one that `argv` names whole. It throws `CommanderError` instead of ending the process. */
export async function createProgram(argv: readonly string[]): Promise<Command> {
  const terms = new Map<Command, string>();
  const program = new Command("bylaw")
    .description("Decide what an AI agent may do next, and say why")
    .option("-V, --version", "print the version")
    // An option of `bylaw` itself stands before the command; after it, it would be dropped in silence.
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
      if ("commands" in spec) await addCommands(command, spec.commands, more);
      else declare(command, places, spec);
    }
  }
}

function declare(
  command: Command,
  places: readonly string[],
  { arguments: described = {}, options, run }: CommandSpec,
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
