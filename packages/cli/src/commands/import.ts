import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";
import { BylawError, messageOf } from "@bylaw/kernel";
import { importPolicy, type ImportFinding, type ImportInput, type ImportSource } from "@bylaw/policy-language";
import { distinctFiles } from "../distinct-files.ts";
import { inputFault } from "../input.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { count, paintFor, place, plain, short, type Paint } from "../text.ts";

/** The options of `bylaw import`. */
export interface ImportOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Turns the rules of another tool into a policy; the exit code is 1 when something could not be carried over. */
export async function importRules(
  source: ImportSource,
  files: readonly string[],
  { out, force = false, json = false }: ImportOptions,
): Promise<void> {
  const target = out === undefined ? undefined : resolve(out);
  const { toml, rules, findings } = await importPolicy(source, distinctFiles(files).map(readInput));
  if (target !== undefined) save(target, toml, { force });
  if (json) await write(jsonLine({ ...(target === undefined ? { toml } : { out: target }), rules, findings }));
  else {
    await write(target === undefined ? toml : `wrote ${place({ file: target })}: ${count(rules, "rule")}\n`);
    process.stderr.write(reportOf(findings, paintFor(process.stderr)));
  }
  conclude(findings.some(({ severity }) => severity === "lost") ? 1 : 0);
}

function readInput(file: string): ImportInput {
  const path = resolve(file);
  const unreadable = (message: string, cause?: unknown): BylawError =>
    new BylawError({ code: "BYLAW_IMPORT_UNREADABLE", message, fix: "name a text file that you can read", source: { file: path }, cause });
  let bytes: Buffer;
  try {
    bytes = bytesOf(path);
  } catch (error) {
    throw unreadable(`Unexpected ${inputFault(error) ?? messageOf(error)}, expected a text file`, error);
  }
  if (bytes.length > MAX_BYTES) {
    throw unreadable(`Unexpected file of more than ${MAX_BYTES} bytes, expected at most that`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable("Unexpected bytes that are not UTF-8, expected a text file", error);
  }
  const own = [".claude", ".gemini"].some((folder) => path.startsWith(join(homedir(), folder, sep)));
  return { file, text, scope: own ? "user" : "project" };
}

// Of a file that is too large, no more than shows that it is.
function bytesOf(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    return fstatSync(file).size > MAX_BYTES ? Buffer.alloc(MAX_BYTES + 1) : readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function save(target: string, toml: string, { force }: { readonly force: boolean }): void {
  try {
    writeFileSync(target, toml, { flag: force ? "w" : "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
      throw new BylawError({
        code: "BYLAW_IMPORT_EXISTS",
        message: "Unexpected existing file, expected none; nothing was written",
        fix: "name another file, or add `--force`",
        source: { file: target },
        cause,
      });
    }
    throw new BylawError({
      code: "BYLAW_IMPORT_FAILED",
      message: `Unexpected failure to write: ${messageOf(cause)}`,
      fix: "name a file in a folder that you may write to",
      source: { file: target },
      cause,
    });
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
