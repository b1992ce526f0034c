import type { Command } from "commander";
import { choice, pathOf } from "./options.ts";

/** `bylaw behavior …` */
export function addBehaviorCommands(program: Command): void {
  const behavior = program
    .command("behavior")
    .description("Evaluate what agents ask of their workflow")
    .addHelpText("after", EXAMPLE);
  behavior
    .command("eval")
    .description("Evaluate control files, one case per line")
    .option(
      "--batch <file>",
      "cases, one JSON object per line; - reads standard input",
      pathOf("--batch <file>"),
    )
    .addOption(
      choice("--compat <system>", "evaluate as this older system did", ["radium", "codemachine"]),
    )
    .option("--json", "print JSON, one answer per line")
    .addHelpText("after", HELP)
    .action(async (options) => {
      const { evaluate } = await import("../commands/behavior-eval.ts");
      await evaluate(options);
    });
}

const EXAMPLE = `
Examples:
  $ bylaw behavior eval --batch cases.jsonl --json`;

const HELP = `
A case: {"evaluator": "loop"|"trigger"|"checkpoint"|"vibecheck", "file": {…}|"raw text"|null, "config"?: {…}|null, "iteration"?: 0, "id"?}
Exit code: 0 every line was answered, 2 usage error or a file that cannot be read.

Examples:
  $ echo '{"evaluator":"loop","file":{"action":"loop"},"config":{"steps":2}}' | bylaw behavior eval --batch - --json
  $ bylaw behavior eval --batch cases.jsonl --compat radium --json`;
