import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";
import { BylawError, messageOf } from "@bylaw/kernel";
import {
  importPolicy,
  type ImportFinding,
  type ImportInput,
  type ImportSource,
} from "@bylaw/policy-language";
import { distinctFiles } from "../io/distinct-files.ts";
import { inputFault } from "../io/input.ts";
import { writeFile } from "../io/write-file.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, paintFor, place, plain, short, type Paint } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  ["--out <file>", "where to write the policy (default: standard output)"],
  ["--force", "let --out overwrite a file"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
const SOURCES: readonly ImportSource[] = ["claude", "gemini", "codex"];

export const command: CommandSpec = {
  arguments: {
    source: ["claude, gemini or codex", SOURCES],
    file: [
      "settings.json of Claude Code; policies or settings.json of gemini-cli; .rules of Codex",
    ],
  },
  options: OPTIONS,
  help: `
What was done with each rule goes to standard error, or into the JSON.
Exit code: 0 everything was converted, 1 something could not be converted, 2 usage error or a file that cannot be read.

Examples:
  $ bylaw import claude .claude/settings.json --out imported.toml
  $ bylaw import gemini policies/shell.toml
  $ bylaw import codex default.rules --json`,
  run: importRules,
};

const CODES = { exists: "BYLAW_IMPORT_EXISTS", failed: "BYLAW_IMPORT_FAILED" } as const;

const MAX_BYTES = 4 * 1024 * 1024;

/** Converts the rules of another tool into a policy. The exit code is 1 if something could not be converted. */
async function importRules(
  source: ImportSource,
  files: readonly string[],
  { out, force = false, json = false }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const target = out === undefined ? undefined : resolve(out);
  const { toml, rules, findings } = await importPolicy(source, distinctFiles(files).map(readInput));
  if (target !== undefined) writeFile(target, toml, { force, codes: CODES });
  if (json)
    await write(
      jsonLine({ ...(target === undefined ? { toml } : { out: target }), rules, findings }),
    );
  else {
    await write(
      target === undefined ? toml : `wrote ${place({ file: target })}: ${count(rules, "rule")}\n`,
    );
    process.stderr.write(reportOf(findings, paintFor(process.stderr)));
  }
  conclude(findings.some(({ severity }) => severity === "lost") ? 1 : 0);
}

function readInput(file: string): ImportInput {
  const path = resolve(file);
  const unreadable = (message: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_IMPORT_UNREADABLE",
      message,
      fix: "Name a text file that you can read",
      source: { file: path },
      cause,
    });
  let bytes: Buffer;
  try {
    bytes = bytesOf(path);
  } catch (error) {
    throw unreadable(inputFault(error, file) ?? messageOf(error), error);
  }
  if (bytes.length > MAX_BYTES) {
    throw unreadable(`${file} is larger than ${MAX_BYTES} bytes`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(`${file} is not valid UTF-8 text`, error);
  }
  const own = [".claude", ".gemini"].some((folder) =>
    path.startsWith(join(homedir(), folder, sep)),
  );
  return { file, text, scope: own ? "user" : "project" };
}

// A file above the limit is not read: only its size matters.
function bytesOf(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    return fstatSync(file).size > MAX_BYTES ? Buffer.alloc(MAX_BYTES + 1) : readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const STYLES = { lost: "red", stricter: "yellow", note: "dim" } as const;

function reportOf(findings: readonly ImportFinding[], paint: Paint): string {
  return findings
    .map(({ severity, file, line, column, source, message }) => {
      const where = place({ file, line, column });
      return `${paint(STYLES[severity], severity)} ${where}: ${short(source, 100)}\n  ${plain(message)}\n`;
    })
    .join("");
}
