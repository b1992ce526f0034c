import { resolve } from "node:path";
import { graphMermaid, graphText, loadContract, migrateContractFile } from "@bylaw/contract";
import type { CommandSpec, GroupSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { lintText } from "../io/lint-report.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { count, paintFor, place, plain } from "../io/text.ts";
import { writeFile } from "../io/write-file.ts";

const SHOW_OPTIONS = [
  ["--format <format>", "the output format (default: text)", { words: ["text", "mermaid"] }],
  ["--json", "print the contract as JSON, as it is enforced"],
] as const satisfies readonly OptionSpec[];
const MIGRATE_OPTIONS = [
  ["--out <file>", "where to write it (default: standard output)"],
  ["--force", "let --out overwrite a file"],
  ["--project <folder>", "the project whose tests are run (default: the folder of the contract)"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

const SHOW: CommandSpec = {
  arguments: { file: ["the contract"] },
  options: SHOW_OPTIONS,
  help: `
Exit code: 0 printed, 2 usage error or a contract with an error.

Examples:
  $ bylaw contract show agent_workflow.yaml
  $ bylaw contract show agent_workflow.yaml --format mermaid`,
  run: show,
};

const MIGRATE: CommandSpec = {
  arguments: { file: ["the contract"] },
  options: MIGRATE_OPTIONS,
  help: `
What was changed, what is still wrong, and what is left to do goes to standard error, or into the JSON.
A contract that lacks a \`test_command\` gets one, if the manifests of the project say how its tests run.
Exit code: 0 migrated, 1 migrated but errors are left, 2 usage error or a contract that cannot be read.

Examples:
  $ bylaw contract migrate agent_workflow.yaml
  $ bylaw contract migrate agent_workflow.yaml --out contract.yaml --json`,
  run: migrate,
};

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw contract show agent_workflow.yaml
  $ bylaw contract migrate agent_workflow.yaml --out contract.yaml`,
  commands: {
    "show [options] <file>": [
      "Show the phases of a contract, what each allows and requires, and the transitions between them",
      SHOW,
    ],
    "migrate [options] <file>": [
      "Migrate a contract to the `bylaw: 1` format and repair what it can",
      MIGRATE,
    ],
  },
};

async function show(
  file: string,
  { format, json = false }: OptionsOf<typeof SHOW_OPTIONS>,
): Promise<void> {
  if (json && format !== undefined)
    throw usageError("`--format` and `--json` cannot be given together", "Remove one");
  const contract = loadContract(file);
  await write(
    json ? jsonLine(contract) : format === "mermaid" ? graphMermaid(contract) : graphText(contract),
  );
  conclude(0);
}

const CODES = { exists: "BYLAW_CONTRACT_UNWRITABLE", failed: "BYLAW_CONTRACT_UNWRITABLE" } as const;

/** Rewrites a contract in the newest format. The exit code is 1 if it still has an error. */
async function migrate(
  file: string,
  { out, force = false, project, json = false }: OptionsOf<typeof MIGRATE_OPTIONS>,
): Promise<void> {
  const target = out === undefined ? undefined : resolve(out);
  const { text, changes, findings, todo } = migrateContractFile(file, { project });
  if (target !== undefined) writeFile(target, text, { force, codes: CODES });
  if (json)
    await write(
      jsonLine({
        ...(target === undefined ? { contract: text } : { out: target }),
        changes,
        findings,
        todo,
      }),
    );
  else {
    await write(
      target === undefined
        ? text
        : `wrote ${place({ file: target })}: ${count(changes.length, "change")}\n`,
    );
    const notes = [
      ...changes.map((change) => `changed: ${plain(change)}`),
      ...(findings.length === 0 ? [] : [lintText(findings, 1, paintFor(process.stderr))]),
      ...todo.map((one) => `left to do: ${plain(one)}`),
    ];
    if (notes.length > 0) process.stderr.write(`${notes.join("\n")}\n`);
  }
  conclude(findings.some(({ severity }) => severity === "error") ? 1 : 0);
}
