import { APPROVAL_MODES } from "@bylaw/kernel";
import { Command, Option } from "commander";
import { write } from "./output.ts";
import { pathOf, pathsOf, valueOf, wordOf } from "./usage.ts";

/** The commands, wired. Throws `CommanderError` instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("bylaw")
    .description("Decides what an agent may do next, and says why.")
    .option("-V, --version", "print the version")
    // An option of `bylaw` itself stands before the command; after it, it would be dropped in silence.
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .helpCommand(true);
  program.addHelpText(
    "after",
    `
Examples:
  $ bylaw init
  $ bylaw check --tool read_file --args '{"path":"README.md"}'
  $ bylaw check --batch calls.jsonl --json`,
  );

  // Each command brings what it needs when it runs, and not before.
  described(program.command("check"))
    .description("Decide one call, or every line of a batch.")
    .option("--batch <file>", "one call per line as JSON; - reads the standard input", pathOf("--batch <file>"))
    .option("--explain", "add every vote")
    .addHelpText("after", CHECK_HELP)
    .action(async (options) => {
      const { check } = await import("./commands/check.ts");
      await check(options);
    });
  described(program.command("explain"))
    .description("Decide one call, and say how every plugin answered and why.")
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (options) => {
      const { explain } = await import("./commands/explain.ts");
      await explain(options);
    });
  program
    .command("init")
    .description("Write a configuration and a policy that work. Never overwrites.")
    .argument("[dir]", "where", ".")
    .addOption(wordOption("--format <format>", "of the configuration", ["ts", "json", "yaml", "toml"]).default("ts"))
    .option("--json", "print JSON")
    .addHelpText("after", INIT_HELP)
    .action(async (dir: string, options) => {
      const { init } = await import("./commands/init.ts");
      await init(dir, options);
    });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: (text) => void write(text), outputError: () => {} });
  }
  return program;
}

function wordOption(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser(wordOf(flags, words));
}

function described(command: Command): Command {
  const option = (flags: string, description: string): Command => command.option(flags, description, valueOf(flags));
  option("--tool <name>", "the tool that is called");
  option("--args <json>", "its arguments (default: {})");
  option("--server <name>", "the MCP server, as the host names it");
  option("--agent <id>", "the agent that calls");
  option("--phase <name>", "the phase of its task");
  option("--cwd <dir>", "the folder that the call runs in (default: the working directory)");
  return command
    .addOption(wordOption("--approval-mode <mode>", "what happens where nothing decides", APPROVAL_MODES))
    .option("--no-interactive", "nobody can be asked: a question becomes a deny")
    .option("--policy <file...>", "policy files of the operator; without --config nothing but them decides", pathsOf("--policy <file...>"))
    .option("--config <file>", "the configuration (default: the nearest bylaw.config.* upwards)", pathOf("--config <file>"))
    .option("--json", "print JSON");
}

const CHECK_HELP = `
Exit code: 0 allow, 1 deny, 2 usage or configuration error, 3 ask_user. With --batch: 0 when every line was answered.

Examples:
  $ bylaw check --tool bash --args '{"command":"git push --force"}'
  $ bylaw check --tool read_file --args '{"path":"README.md"}' --policy .bylaw/policy.toml --json
  $ echo '{"id":"1","tool":"read_file","args":{"path":"README.md"}}' | bylaw check --batch - --json`;

const EXPLAIN_HELP = `
Exit code: 0 allow, 1 deny, 2 usage or configuration error, 3 ask_user.

Examples:
  $ bylaw explain --tool write_file --args '{"path":"src/main.ts"}'
  $ bylaw explain --tool bash --args '{"command":"rm -rf build"}' --policy .bylaw/policy.toml --json`;

const INIT_HELP = `
Examples:
  $ bylaw init
  $ bylaw init my-project --format yaml`;
