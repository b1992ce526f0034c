import { basename } from "node:path";
import { create, Refusal } from "create-bylaw";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { place } from "../io/text.ts";

const OPTIONS = [
  ["--dir <folder>", "the new folder (default: the name without its scope)"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { name: ["the name of its npm package"] },
  options: OPTIONS,
  help: `
Exit code: 0 written, 2 usage error, or a folder that has files or cannot be written.

Examples:
  $ bylaw ruleset new @acme/rules
  $ bylaw ruleset new rules --dir packages/rules --json`,
  run: makeRuleset,
};

/** Writes a ruleset into a new folder, as `npm create bylaw` does. */
async function makeRuleset(
  name: string,
  { dir = basename(name), json = false }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const files = filesOf(dir, name).map((file) => `${dir}/${file}`);
  const next = [`cd ${place({ file: dir })}`, "npm install", "npx bylaw ruleset verify"];
  const lines = [
    ...files.map((file) => `wrote ${place({ file })}`),
    "",
    "Next:",
    ...next.map((line) => `  ${line}`),
  ];
  await write(json ? jsonLine({ name, written: files, next }) : `${lines.join("\n")}\n`);
  conclude(0);
}

function filesOf(dir: string, name: string): readonly string[] {
  try {
    return create(dir, "ruleset", name);
  } catch (error) {
    if (error instanceof Refusal) throw usageError(error.message, "Give another name or `--dir`");
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined
      ? error
      : usageError(`Cannot write into ${dir}: ${message}`, "Give another `--dir`");
  }
}
