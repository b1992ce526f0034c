import { resolve } from "node:path";
import { migrateContractFile } from "@bylaw/contract";
import { lintText } from "../io/lint-report.ts";
import { writeFile } from "../io/write-file.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, paintFor, place, plain } from "../io/text.ts";

const CODES = { exists: "BYLAW_CONTRACT_UNWRITABLE", failed: "BYLAW_CONTRACT_UNWRITABLE" } as const;

/** The options of `bylaw contract migrate`. */
export interface MigrateOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Writes a contract in the newest form; the exit code is 1 when an error is left in it. */
export async function migrate(
  file: string,
  { out, force = false, json = false }: MigrateOptions,
): Promise<void> {
  const target = out === undefined ? undefined : resolve(out);
  const { text, changes, findings } = migrateContractFile(file);
  if (target !== undefined) writeFile(target, text, { force, codes: CODES });
  if (json)
    await write(
      jsonLine({
        ...(target === undefined ? { contract: text } : { out: target }),
        changes,
        findings,
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
    ];
    if (notes.length > 0) process.stderr.write(`${notes.join("\n")}\n`);
  }
  conclude(findings.some(({ severity }) => severity === "error") ? 1 : 0);
}
