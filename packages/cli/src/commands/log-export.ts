import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { BylawError, type LogEvent } from "@bylaw/kernel";
import { createLogVerifier, formatEventLine } from "@bylaw/log";
import { eventsOf, noSuchRun, withReader } from "../log/open-store.ts";
import { runOrLatest, storeOrProject } from "../log/project-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, place, plain } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION, STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the latest)"],
  JSON_OPTION,
  ["--to <file>", "the file to write, which must not exist; - is standard output, and the default"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
Exit code: 0 written, 1 written but the run does not verify, 2 usage error, or a store or file that cannot be used.

Examples:
  $ bylaw log export
  $ bylaw log export --store runs.db --run main
  $ bylaw log export --store sqlite:runs.db --run main --to main.jsonl --json`,
  run: exportLog,
};

/** Writes a run of a store as log lines. The exit code is 1 if the run does not verify. */
async function exportLog({
  store,
  run: named,
  to,
  json = false,
}: OptionsOf<typeof OPTIONS>): Promise<void> {
  const source = storeOrProject(store);
  const run = await runOrLatest(source, named);
  const target = to === undefined || to === "-" ? undefined : openTarget(to);
  const verifier = createLogVerifier({ chained: true });
  let wrong = 0;
  try {
    await withReader(source, async (opened) => {
      for await (const events of eventsOf(opened, run)) {
        const lines = events.map(lineOf);
        for (const line of lines) {
          for (const { severity, rule, message } of verifier.line(line)) {
            if (severity !== "error") continue;
            wrong += 1;
            if (wrong <= 10)
              process.stderr.write(
                `warning: ${place({ file: run, line: verifier.head.sequence })} ${rule}: ${plain(message)}\n`,
              );
          }
        }
        const text = lines.map((line) => `${line}\n`).join("");
        if (target === undefined) await write(text);
        else target.write(text);
      }
      if (verifier.events === 0) throw await noSuchRun(opened, run);
    });
    target?.finish();
  } catch (error) {
    target?.drop();
    throw error;
  }
  const { events, head } = verifier;
  if (to !== undefined && target !== undefined) {
    const hash = head.hash ?? "no hash";
    await write(
      json
        ? jsonLine({ run, file: to, events, head })
        : `Exported ${count(events, "event")} to ${plain(to)}, up to ${head.sequence} ${hash}\n`,
    );
  }
  conclude(wrong > 0 ? 1 : 0);
}

// A broken event is exported too, because a log must show what is wrong with its store.
function lineOf(event: LogEvent): string {
  try {
    return formatEventLine(event);
  } catch {
    return JSON.stringify(event);
  }
}

interface Target {
  write(text: string): void;
  /** Renames the partial file to its final name, once all of it is on the disk. */
  finish(): void;
  drop(): void;
}

function openTarget(file: string): Target {
  const failed = (error: unknown): BylawError => {
    const { code = "" } = error as NodeJS.ErrnoException;
    return new BylawError({
      code: "BYLAW_EXPORT_FAILED",
      message: `Cannot write ${file}: ${code}`,
      fix: "Name a file in a folder that exists and that you may write to",
      source: { file },
      cause: error,
    });
  };
  const exists = new BylawError({
    code: "BYLAW_EXPORT_EXISTS",
    message: `${file} already exists; nothing was written`,
    fix: "Name another file",
    source: { file },
  });
  if (existsSync(file)) throw exists;
  const partial = join(dirname(file), `.${basename(file)}.${process.pid}.partial`);
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw failed(error);
    }
  };
  const fd = attempt(() => openSync(partial, "wx", 0o600));
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  return {
    write(text) {
      const bytes = Buffer.from(text);
      attempt(() => {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      });
    },
    finish() {
      attempt(() => fsyncSync(fd));
      close();
      try {
        // Unlike a rename, a link never replaces a file that was created meanwhile.
        linkSync(partial, file);
        rmSync(partial);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") throw exists;
        attempt(() => renameSync(partial, file));
      }
    },
    drop() {
      close();
      rmSync(partial, { force: true });
    },
  };
}
