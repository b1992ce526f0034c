import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { migrateContractFile } from "@bylaw/contract";
import { BylawError, messageOf } from "@bylaw/kernel";
import { lintText } from "../lint-report.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { count, paintFor, place, plain } from "../text.ts";

/** The options of `bylaw contract migrate`. */
export interface MigrateOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Writes a contract in the newest form; the exit code is 1 when an error is left in it. */
export async function migrate(file: string, { out, force = false, json = false }: MigrateOptions): Promise<void> {
  const target = out === undefined ? undefined : resolve(out);
  const { text, changes, findings } = migrateContractFile(file);
  if (target !== undefined) save(target, text, { force });
  if (json) await write(jsonLine({ ...(target === undefined ? { contract: text } : { out: target }), changes, findings }));
  else {
    await write(target === undefined ? text : `wrote ${place({ file: target })}: ${count(changes.length, "change")}\n`);
    const told = [
      ...changes.map((change) => `changed: ${plain(change)}`),
      ...(findings.length === 0 ? [] : [lintText(findings, 1, paintFor(process.stderr))]),
    ];
    if (told.length > 0) process.stderr.write(`${told.join("\n")}\n`);
  }
  conclude(findings.some(({ severity }) => severity === "error") ? 1 : 0);
}

function save(target: string, text: string, { force }: { readonly force: boolean }): void {
  try {
    writeFileSync(target, text, { flag: force ? "w" : "wx" });
  } catch (cause) {
    const there = (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw new BylawError({
      code: "BYLAW_CONTRACT_UNWRITABLE",
      message: there
        ? "Unexpected existing file, expected none; nothing was written"
        : `Unexpected failure to write (${messageOf(cause)}), expected a file that takes the contract`,
      fix: there ? "name another file, or add `--force`" : "name a file in a folder that you may write to",
      source: { file: target },
      cause,
    });
  }
}
