import { APPROVAL_MODES } from "@bylaw/kernel";
import type { InitRuleset } from "../init/files.ts";
import type { ImportSource } from "@bylaw/policy-language";
import type { Command } from "commander";
import { choice, pathOf, pathsOf, valueOf, wordOf } from "./options.ts";

/** The commands that decide calls: `bylaw check` and `bylaw explain`. */
export function addDecideCommands(program: Command): void {
  // Each command imports what it needs when it runs, and not before.
  callOptions(program.command("check"))
    .description("Decide one tool call, or every call of a batch")
    .option(
      "--batch <file>",
      "calls, one JSON object per line; - reads standard input",
      pathOf("--batch <file>"),
    )
    .option("--explain", "add every vote")
    .addHelpText("after", CHECK_HELP)
    .action(async (options) => {
      const { check } = await import("../commands/check.ts");
      await check(options);
    });
  callOptions(program.command("explain"))
    .description("Decide one tool call and show how every plugin voted and why")
    .option("--all", "list every rule, not only the ten nearest")
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (options) => {
      const { explain } = await import("../commands/explain.ts");
      await explain(options);
    });
}

/** The commands for the author of a policy: `bylaw test`, `bylaw lint` and `bylaw replay`. */
export function addPolicyCommands(program: Command): void {
  program
    .command("test")
    .description("Test a policy against cases and report what they do not cover")
    .argument("[file...]", "policies (.toml) and case files (.jsonl)")
    .option(
      "--policy <file...>",
      "policy files, whatever their extension",
      pathsOf("--policy <file...>"),
    )
    .option(
      "--config <file>",
      "the configuration (default without policies: the nearest bylaw.config.* upwards)",
      pathOf("--config <file>"),
    )
    .option(
      "--cases <file...>",
      "case files, one JSON object per line; - reads standard input",
      pathsOf("--cases <file...>"),
    )
    .option("--coverage", "list the rules, alternatives and parts that no case covers")
    .option("--mutate", "change every rule, one change at a time, and see whether a case notices")
    .option("--json", "print JSON")
    .addHelpText("after", TEST_HELP)
    .action(async (files: readonly string[], options) => {
      const { test } = await import("../commands/test.ts");
      await test(files, options);
    });
  program
    .command("lint")
    .description("Lint policies and contracts")
    .argument(
      "[file...]",
      "policies, contracts (.yaml), or a bylaw.config.* whose policies to lint (default: the nearest one upwards)",
    )
    .option("--config <file>", "a configuration whose policies to lint", pathOf("--config <file>"))
    .option("--json", "print JSON")
    .addHelpText("after", LINT_HELP)
    .action(async (files: readonly string[], options) => {
      const { lint } = await import("../commands/lint.ts");
      await lint(files, options);
    });
  program
    .command("replay")
    .description("Decide recorded calls again with another policy and list what would change")
    .argument(
      "<log>",
      "events of a run, or calls, one JSON object per line; - reads standard input",
    )
    .option(
      "--policy <file...>",
      "the candidate; without --config it decides alone",
      pathsOf("--policy <file...>"),
    )
    .option(
      "--config <file>",
      "a configuration to add the candidate to, or to use as the candidate",
      pathOf("--config <file>"),
    )
    .option("--json", "print JSON, one value per line")
    .addHelpText("after", REPLAY_HELP)
    .action(async (log: string, options) => {
      const { replay } = await import("../commands/replay.ts");
      await replay(log, options);
    });
}

/** The commands that begin a policy: `bylaw import` and `bylaw init`. */
export function addStartCommands(program: Command): void {
  program
    .command("import")
    .description("Convert the rules of another tool into a policy that allows nothing more")
    .argument("<source>", "claude, gemini or codex", wordOf("<source>", SOURCES))
    .argument(
      "<file...>",
      "settings.json of Claude Code; policies or settings.json of gemini-cli; .rules of Codex",
    )
    .option(
      "--out <file>",
      "where to write the policy (default: standard output)",
      pathOf("--out <file>"),
    )
    .option("--force", "let --out overwrite a file")
    .option("--json", "print JSON")
    .addHelpText("after", IMPORT_HELP)
    .action(async (source: ImportSource, files: readonly string[], options) => {
      const { importRules } = await import("../commands/import.ts");
      await importRules(source, files, options);
    });
  program
    .command("init")
    .description("Create a working configuration and policy, without overwriting anything")
    .argument("[dir]", "the folder to write to", ".")
    .addOption(
      choice("--format <format>", "the format of the configuration", FORMATS).default("ts"),
    )
    .addOption(choice("--ruleset <name>", "the rules to begin with", RULESETS).default("everyday"))
    .option("--yes", "ask nothing (also where no terminal is)")
    .option("--json", "print JSON")
    .addHelpText("after", INIT_HELP)
    .action(async (dir: string, options) => {
      const { init } = await import("../commands/init.ts");
      await init(dir, options);
    });
}

function callOptions(command: Command): Command {
  const option = (flags: string, description: string): Command =>
    command.option(flags, description, valueOf(flags));
  option("--tool <name>", "the tool to call");
  option("--args <json>", "its arguments (default: {})");
  option("--server <name>", "the MCP server, as the host names it");
  option("--agent <id>", "the agent that calls");
  option("--phase <name>", "the phase of its task");
  option("--cwd <dir>", "the folder that the call runs in (default: the working directory)");
  return command
    .addOption(choice("--approval-mode <mode>", "what to do when no rule matches", APPROVAL_MODES))
    .option("--no-interactive", "nobody can be asked, so a question becomes a deny")
    .option(
      "--policy <file...>",
      "policy files of the operator; without --config they decide alone",
      pathsOf("--policy <file...>"),
    )
    .option(
      "--config <file>",
      "the configuration (default: the nearest bylaw.config.* upwards)",
      pathOf("--config <file>"),
    )
    .option("--json", "print JSON");
}

const SOURCES: readonly ImportSource[] = ["claude", "gemini", "codex"];
const FORMATS = ["ts", "json", "yaml", "toml"];
const RULESETS: readonly InitRuleset[] = ["everyday", "recommended", "none"];

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
Exit code: 0 every case passes, 1 a case fails or a mutant survives, 2 usage or configuration error.

Examples:
  $ bylaw test .bylaw/policy.toml cases.jsonl
  $ bylaw test --cases cases.jsonl --coverage --mutate`;

const LINT_HELP = `
Exit code: 0 no errors, 1 errors were found, 2 usage or configuration error.

Examples:
  $ bylaw lint
  $ bylaw lint .bylaw/policy.toml --json`;

const REPLAY_HELP = `
Exit code: 0 no decision changes, 1 a decision changes, 2 usage or configuration error.

Examples:
  $ bylaw replay run.jsonl --policy candidate.toml
  $ bylaw replay run.jsonl --policy candidate.toml --config bylaw.config.ts --json`;

const IMPORT_HELP = `
What was done with each rule goes to standard error, or into the JSON.
Exit code: 0 everything was converted, 1 something could not be converted, 2 usage error or a file that cannot be read.

Examples:
  $ bylaw import claude .claude/settings.json --out imported.toml
  $ bylaw import gemini policies/shell.toml
  $ bylaw import codex default.rules --json`;

const INIT_HELP = `
In a terminal it asks at most three questions.
Exit code: 0 written, 2 usage error, a file that already exists, a folder that cannot be written, or you left.

Examples:
  $ bylaw init
  $ bylaw init --yes --ruleset recommended
  $ bylaw init my-project --format yaml`;
