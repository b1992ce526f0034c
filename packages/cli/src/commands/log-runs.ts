import type { RunSummary } from "@bylaw/log";
import { storePlace, withReader } from "../log/open-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor, short } from "../io/text.ts";

/** The options of `bylaw log runs`. */
export interface RunsOptions {
  readonly store: string;
  readonly json?: boolean;
}

/** Prints the runs of a store, in the order of their last events. */
export async function listRuns({ store, json = false }: RunsOptions): Promise<void> {
  const runs = await withReader(storePlace(store), (opened) => opened.runs());
  const ordered = runs.toSorted((one, other) => Date.parse(one.last) - Date.parse(other.last));
  await write(json ? ordered.map(jsonLine).join("") : table(ordered));
  conclude(0);
}

function table(runs: readonly RunSummary[]): string {
  const paint = paintFor(process.stdout);
  const row = (head: string, first: string, last: string, run: string): string =>
    `${head.padStart(8)} ${first.padEnd(24)} ${last.padEnd(24)} ${run}\n`;
  const lines = runs.map(({ run, head, first, last }) =>
    row(String(head), short(first, 40), short(last, 40), short(run, 200)),
  );
  return [`${paint("bold", row("HEAD", "FIRST", "LAST", "RUN").trimEnd())}\n`, ...lines].join("");
}
