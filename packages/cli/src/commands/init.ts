import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CONFIG_EXTENSIONS, writeGitignore } from "@bylaw/config";
import { BylawError, messageOf } from "@bylaw/kernel";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import {
  configText,
  policyText,
  POLICY_FILE,
  RECORDS,
  type InitFormat,
  type InitRuleset,
} from "../init/files.ts";
import { propose, SUMMARIES, type Proposal } from "../init/proposal.ts";
import { readToolchain } from "../init/toolchain.ts";
import { place } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";

const FORMATS: readonly InitFormat[] = ["ts", "json", "yaml", "toml"];
const RULESETS: readonly InitRuleset[] = ["everyday", "recommended", "none"];
const OPTIONS = [
  ["--format <format>", "the format of the configuration", { words: FORMATS, default: "ts" }],
  ["--ruleset <name>", "the rules to begin with", { words: RULESETS, default: "everyday" }],
  ["--yes", "ask nothing (the default without a terminal)"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { dir: ['the folder to write to (default: ".")'] },
  options: OPTIONS,
  help: `
In a terminal it asks at most three questions.
Exit code: 0 written, 2 usage error, a file that already exists, a folder that cannot be written, or you cancelled.

Examples:
  $ bylaw init
  $ bylaw init --yes --ruleset recommended
  $ bylaw init my-project --format yaml`,
  run: init,
};

const INSTALL =
  "npm install --save-dev @bylaw/cli @bylaw/kernel @bylaw/plugin-event-log @bylaw/plugin-policy";

interface Plan {
  readonly ruleset: InitRuleset;
  readonly proposal: Proposal;
  /** The tasks that a rule of the project allows. */
  readonly tasks: readonly string[];
}

/** Writes a configuration, a policy and a .gitignore into a folder. It writes all of them or none, and never overwrites a file. */
async function init(directory = ".", options: OptionsOf<typeof OPTIONS>): Promise<void> {
  const { format, json = false, yes = false } = options;
  const root = resolve(directory);
  refuseExisting(root);
  const { programs, tasks } = readToolchain(root);
  const asking = !yes && !json && process.stdin.isTTY && process.stdout.columns > 0;
  const plan = await planOf(options.ruleset, tasks, { root, format, asking });
  if (plan === undefined) {
    await write("Nothing was written\n");
    return conclude(2);
  }
  const { ruleset, proposal } = plan;
  const written = writeFiles(root, [
    [POLICY_FILE, policyText(ruleset, plan.tasks)],
    [configName(format), configText(format, ruleset)],
  ]);
  const allowed = [...proposal.allowed, ...plan.tasks];
  const asked = [...proposal.open, ...proposal.held].filter((task) => !plan.tasks.includes(task));
  const inside = directory === "." ? "" : `cd ${place({ file: root })} && `;
  const next = [
    `${inside}${INSTALL}${ruleset === "none" ? "" : ` @bylaw/ruleset-${ruleset}`}`,
    `${inside}npx bylaw check --tool read_file --args '{"path":"README.md"}'`,
    `${inside}npx bylaw explain --tool bash --args '{"command":"git push --force"}'`,
    `${inside}npx bylaw install claude-code --project`,
  ];
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
  const lines = [
    ...written.map((file) => `wrote ${place({ file })}`),
    "",
    `${ruleset === "none" ? "The policy" : `The ruleset \`${ruleset}\``} ${SUMMARIES[ruleset]}.`,
    ...list(`Tasks of ${programs.join(", ")} that pass without a question:`, allowed),
    ...list("Tasks that are asked about or denied:", asked),
    "",
    recordText(written),
    ...list("Next:", next),
  ];
  await write(
    json
      ? jsonLine({ written, ruleset, records: RECORDS, programs, allowed, asked, next })
      : `${lines.join("\n")}\n`,
  );
  conclude(0);
}

/** Says where the record is. A .gitignore that was there before may not name it. */
function recordText(written: readonly string[]): string {
  const ignored = written.some((file) => basename(file) === ".gitignore");
  const where = `${RECORDS.join(" and ")}${ignored ? ", which git ignores" : ""}`;
  return `After \`bylaw install HOST --project\`, what that coding agent does is recorded in ${where}. \`bylaw ui\` shows it.`;
}

// Undefined if the person cancelled.
async function planOf(
  proposed: InitRuleset,
  tasks: readonly string[],
  {
    root,
    format,
    asking,
  }: { readonly root: string; readonly format: InitFormat; readonly asking: boolean },
): Promise<Plan | undefined> {
  const ask = asking ? await import("../init/questions.ts") : undefined;
  const ruleset = ask === undefined ? proposed : await ask.askRuleset(proposed);
  if (ruleset === undefined) return undefined;
  const none: Proposal = { allowed: [], open: [], held: [] };
  const proposal = ruleset === "none" ? none : await propose(ruleset, tasks, root);
  const chosen =
    ask === undefined || proposal.open.length === 0 ? [] : await ask.askTasks(proposal.open);
  if (chosen === undefined) return undefined;
  if (ask !== undefined && !(await ask.askToWrite([configName(format), POLICY_FILE])))
    return undefined;
  return { ruleset, proposal, tasks: chosen };
}

const configName = (format: InitFormat): string => `bylaw.config.${format}`;

function writeFiles(
  root: string,
  files: readonly (readonly [name: string, text: string])[],
): readonly string[] {
  const written: string[] = [];
  const make = (file: string, work: () => boolean): void => {
    try {
      if (work()) written.push(file);
    } catch (cause) {
      for (const mine of written) rmSync(mine);
      throw unwritable(file, cause);
    }
  };
  for (const [name, text] of files) {
    const file = join(root, name);
    make(file, () => {
      makeFolder(dirname(file));
      writeFileSync(file, text, { flag: "wx" });
      return true;
    });
  }
  const beside = dirname(join(root, POLICY_FILE));
  make(join(beside, ".gitignore"), () => writeGitignore(beside) !== undefined);
  return written;
}

// One by one, because Node's `recursive` never returns on a file system that cannot have the folder, such as /proc.
function makeFolder(folder: string): void {
  if (existsSync(folder) || dirname(folder) === folder) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function refuseExisting(root: string): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw exists(root, `${place({ file: root })} is a file, not a folder`);
  const names = [...CONFIG_EXTENSIONS.map((extension) => `bylaw.config.${extension}`), POLICY_FILE];
  const present = names.map((name) => join(root, name)).find((file) => existsSync(file));
  if (present !== undefined) throw exists(present);
}

function exists(
  file: string,
  message = `${place({ file })} already exists; nothing was written`,
): BylawError {
  return new BylawError({
    code: "BYLAW_INIT_EXISTS",
    message,
    fix: "Edit the file, or name another folder",
    source: { file },
  });
}

function unwritable(file: string, cause: unknown): BylawError {
  if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
    return exists(file);
  }
  return new BylawError({
    code: "BYLAW_INIT_FAILED",
    message: `Cannot write ${place({ file })}: ${messageOf(cause)}`,
    source: { file },
    cause,
  });
}
