import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { BylawError } from "@bylaw/kernel";
import type { LogHead } from "@bylaw/log";
import { openInput } from "../io/input.ts";
import { importEvents } from "../log/import-events.ts";
import { checkFiles, logLines, unreadable } from "../log/log-source.ts";
import { storePlace, withStore } from "../log/open-store.ts";
import { verifiedEvents } from "../log/verified-events.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, plain } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION, STORED_OPTIONS } from "../command-line/shared-options.ts";

const OPTIONS = [...STORED_OPTIONS, JSON_OPTION] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { file: ["the files of the log in order; - reads standard input"] },
  options: OPTIONS,
  help: `
Exit code: 0 imported, 2 usage error, a log that does not verify, a run that holds other events, or a store that cannot
be used.

Examples:
  $ bylaw log import events.jsonl --store archive.db --run main
  $ bylaw log import - --store archive.db --run main --json < events.jsonl`,
  run: importLog,
};

/** Imports a log into a store. Writes nothing unless the whole log verifies, and continues an import that was interrupted. */
async function importLog(
  files: readonly string[],
  { store, run, json = false }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const place = storePlace(store);
  checkFiles(files, {});
  const { paths, drop } = await readable(files);
  try {
    const head = await verifyAll(paths);
    const before = await withStore(place, { create: true }, (opened) =>
      importEvents(opened, run, verifiedEvents(logLines({ files: paths })), head),
    );
    const imported = { run, events: head.sequence, imported: head.sequence - before, head };
    await write(json ? jsonLine(imported) : text(imported));
    conclude(0);
  } catch (error) {
    throw named(error, paths, files);
  } finally {
    drop();
  }
}

function text({
  run,
  events,
  imported,
  head,
}: {
  run: string;
  events: number;
  imported: number;
  head: LogHead;
}): string {
  const there = imported === events ? "" : ` (${events - imported} of ${events} were there)`;
  return `Imported ${count(imported, "event")} into run ${plain(run)}${there}, up to ${head.sequence}${head.hash === undefined ? "" : ` ${head.hash}`}\n`;
}

async function verifyAll(files: readonly string[]): Promise<LogHead> {
  let last: LogHead = { sequence: 0 };
  for await (const { head } of verifiedEvents(logLines({ files }))) last = head;
  if (last.sequence > 0) return last;
  throw new BylawError({
    code: "BYLAW_LOG_INVALID",
    message: "The log holds no events to import",
    fix: "Name another file",
    source: { file: files[0] ?? "-" },
  });
}

/** Files that can be read twice. Standard input is copied to a temporary file. */
async function readable(
  files: readonly string[],
): Promise<{ readonly paths: readonly string[]; readonly drop: () => void }> {
  if (!files.includes("-")) return { paths: files, drop: () => {} };
  const folder = mkdtempSync(join(tmpdir(), "bylaw-import-"));
  const kept = join(folder, "standard-input.jsonl");
  const drop = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await pipeline(
      Readable.from(openInput("-")),
      createWriteStream(kept, { mode: 0o600, flags: "wx" }),
    );
  } catch (error) {
    drop();
    throw unreadable("-", error);
  }
  return { paths: files.map((file) => (file === "-" ? kept : file)), drop };
}

// Replaces the name of the temporary file by `-` in an error.
function named(error: unknown, paths: readonly string[], files: readonly string[]): unknown {
  const { source, code, message, fix } = error as Partial<BylawError>;
  const index = paths.indexOf(source?.file ?? "");
  if (source === undefined || code === undefined || index === -1) return error;
  return new BylawError({
    code,
    message: message ?? "",
    fix,
    source: { ...source, file: files[index] ?? "-" },
    cause: error,
  });
}
