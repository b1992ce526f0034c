import { Option, type Command } from "commander";
import { pathOf, wordOf } from "../usage.ts";

/** The commands about what agents ask of their workflow, wired under `bylaw behavior`. */
export function addBehaviorCommands(program: Command): Command {
  const behavior = program.command("behavior").description("Look at what agents ask of their workflow.").addHelpText("after", EXAMPLE);
  behavior
    .command("eval")
    .description("Say what an evaluator makes of control files, one case per line.")
    .option("--batch <file>", "cases as JSON; - reads the standard input", pathOf("--batch <file>"))
    .addOption(
      new Option("--compat <reading>", "read as an older system did").choices(READINGS).argParser(wordOf("--compat <reading>", READINGS)),
    )
    .option("--json", "print JSON, one answer per line")
    .addHelpText("after", HELP)
    .action(async (options) => {
      const { evaluate } = await import("./behavior-eval.ts");
      await evaluate(options);
    });
  return behavior;
}

const READINGS = ["radium", "codemachine"];

const EXAMPLE = `
Examples:
  $ bylaw behavior eval --batch cases.jsonl --json`;

const HELP = `
A case: {"evaluator": "loop"|"trigger"|"checkpoint"|"vibecheck", "file": {…}|"raw text"|null, "config"?: {…}|null, "iteration"?: 0, "id"?}
Exit code: 0 every line was answered, 2 usage error or a file that cannot be read.

Examples:
  $ echo '{"evaluator":"loop","file":{"action":"loop"},"config":{"steps":2}}' | bylaw behavior eval --batch - --json
  $ bylaw behavior eval --batch cases.jsonl --compat radium --json`;
