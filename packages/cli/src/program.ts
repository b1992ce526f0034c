import { APPROVAL_MODES } from "@bylaw/kernel";
import type { ImportSource } from "@bylaw/policy-language";
import { Command, Option } from "commander";
import { write } from "./output.ts";
import { addBehaviorCommands } from "./commands/behavior-program.ts";
import { addContractCommands } from "./commands/contract-program.ts";
import { addConstitutionCommands } from "./commands/constitution-program.ts";
import { addMcpCommand } from "./commands/mcp-program.ts";
import { addRunCommand } from "./commands/run-program.ts";
import { addServeCommand } from "./commands/serve-program.ts";
import { addTemplateCommands } from "./commands/template-program.ts";
import { addApproveCommands } from "./program-approve.ts";
import { addLogCommands } from "./program-log.ts";
import { addStatusCommands } from "./program-status.ts";
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
    .option("--all", "list also the rules that are about other tools")
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (options) => {
      const { explain } = await import("./commands/explain.ts");
      await explain(options);
    });
  program
    .command("test")
    .description("Hold cases against a policy, and say what they leave open.")
    .argument("[file...]", "policies (.toml) and cases (.jsonl)")
    .option("--policy <file...>", "policy files, whatever their ending", pathsOf("--policy <file...>"))
    .option(
      "--config <file>",
      "the configuration (default: without policies the nearest bylaw.config.* upwards)",
      pathOf("--config <file>"),
    )
    .option("--cases <file...>", "case files, one case per line as JSON; - reads the standard input", pathsOf("--cases <file...>"))
    .option("--coverage", "list what no case asks: rules, alternatives, parts")
    .option("--mutate", "change every rule, one change at a time: does a case notice?")
    .option("--json", "print JSON")
    .addHelpText("after", TEST_HELP)
    .action(async (files: readonly string[], options) => {
      const { test } = await import("./commands/test.ts");
      await test(files, options);
    });
  program
    .command("lint")
    .description("Say what is wrong or doubtful in policies and contracts.")
    .argument(
      "[file...]",
      "policies, contracts (.yaml), or a bylaw.config.* for the policies that it brings (default: the nearest one upwards)",
    )
    .option("--config <file>", "a configuration, for the policies that it brings", pathOf("--config <file>"))
    .option("--json", "print JSON")
    .addHelpText("after", LINT_HELP)
    .action(async (files: readonly string[], options) => {
      const { lint } = await import("./commands/lint.ts");
      await lint(files, options);
    });
  program
    .command("replay")
    .description("Decide recorded calls once more, by a candidate policy, and list what would flip.")
    .argument("<log>", "events of a run, or calls, one per line as JSON; - reads the standard input")
    .option("--policy <file...>", "the candidate; without --config nothing but it decides", pathsOf("--policy <file...>"))
    .option("--config <file>", "a configuration that the candidate joins, or that is the candidate", pathOf("--config <file>"))
    .option("--json", "print JSON, one value per line")
    .addHelpText("after", REPLAY_HELP)
    .action(async (log: string, options) => {
      const { replay } = await import("./commands/replay.ts");
      await replay(log, options);
    });
  addStatusCommands(program);
  const log = addLogCommands(program);
  const approve = addApproveCommands(program);
  const contract = addContractCommands(program);
  const behavior = addBehaviorCommands(program);
  addRunCommand(program);
  addMcpCommand(program);
  const constitution = addConstitutionCommands(program);
  addServeCommand(program);
  const template = addTemplateCommands(program);
  program
    .command("import")
    .description("Turn the rules of another tool into a policy. Allows nothing that they do not.")
    .argument("<source>", "claude, gemini or codex", wordOf("<source>", SOURCES))
    .argument("<file...>", "settings.json of Claude Code; policies or settings.json of gemini-cli; .rules of Codex")
    .option("--out <file>", "write the policy there (default: the standard output)", pathOf("--out <file>"))
    .option("--force", "let --out overwrite")
    .option("--json", "print JSON")
    .addHelpText("after", IMPORT_HELP)
    .action(async (source: ImportSource, files: readonly string[], options) => {
      const { importRules } = await import("./commands/import.ts");
      await importRules(source, files, options);
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
  for (const command of [
    program,
    ...program.commands,
    ...log.commands,
    ...approve.commands,
    ...contract.commands,
    ...behavior.commands,
    ...constitution.commands,
    ...template.commands,
  ]) {
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

const SOURCES: readonly ImportSource[] = ["claude", "gemini", "codex"];

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

const TEST_HELP = `
Exit code: 0 every case holds, 1 a case fails or a mutant survives, 2 usage or configuration error.

Examples:
  $ bylaw test .bylaw/policy.toml cases.jsonl
  $ bylaw test --cases cases.jsonl --coverage --mutate`;

const LINT_HELP = `
Exit code: 0 no error, 1 a finding is an error, 2 usage or configuration error.

Examples:
  $ bylaw lint
  $ bylaw lint .bylaw/policy.toml --json`;

const REPLAY_HELP = `
Exit code: 0 nothing flips, 1 a decision flips, 2 usage or configuration error.

Examples:
  $ bylaw replay run.jsonl --policy candidate.toml
  $ bylaw replay run.jsonl --policy candidate.toml --config bylaw.config.ts --json`;

const IMPORT_HELP = `
What becomes of each rule goes to the error stream, or into the JSON.
Exit code: 0 all carried over, 1 something could not be carried over, 2 usage error or a file that cannot be read.

Examples:
  $ bylaw import claude .claude/settings.json --out imported.toml
  $ bylaw import gemini policies/shell.toml
  $ bylaw import codex default.rules --json`;

const INIT_HELP = `
Exit code: 0 written, 2 usage error, a file that is there, or a folder that cannot be written.

Examples:
  $ bylaw init
  $ bylaw init my-project --format yaml`;
