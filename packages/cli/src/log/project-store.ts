import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StoreReader } from "@bylaw/log";
import { BylawError } from "@bylaw/kernel";
import { usageError } from "../io/report-error.ts";
import { plain } from "../io/text.ts";
import type { RunPlace } from "./follow-run.ts";
import { storePlace, withReader, type StorePlace } from "./open-store.ts";

const STORE = join(".bylaw", "store.db");

/** The store of the project: the nearest `.bylaw/store.db` in the working directory or above. */
function projectStore(): string | undefined {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, STORE);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The given store, or else the project's. Throws BYLAW_USAGE_INVALID if there is none. */
export function storeOrProject(named: string | undefined): StorePlace {
  const found = named ?? projectStore();
  if (found !== undefined) return storePlace(found);
  throw usageError(
    "No log was named, and there is no `.bylaw/store.db` here or in a folder above, in which `@bylaw/plugin-event-log` records the sessions of a coding agent",
  );
}

/** The project's store, or a new one in the working directory. */
export const newProjectStore = (): StorePlace => storePlace(projectStore() ?? STORE);

/** The names of all runs of a store. The run with the latest event is last. */
const runsOf = async (store: Pick<StoreReader, "runs">): Promise<readonly string[]> =>
  (await store.runs())
    .toSorted((one, other) => Date.parse(one.last) - Date.parse(other.last))
    .map(({ run }) => run);

/** The given run, or else the latest one of the store. Prints which one if there are several. Throws BYLAW_RUN_MISSING. */
export async function runOrLatest(store: StorePlace, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const runs = await withReader(store, runsOf);
  const latest = runs.at(-1);
  if (latest === undefined)
    throw new BylawError({
      code: "BYLAW_RUN_MISSING",
      message: `The store ${store.shown} holds no runs`,
      fix: "Name another with `--store <url>`",
    });
  if (runs.length > 1)
    process.stderr.write(
      `note: this is run ${plain(latest)}, the latest of ${runs.length}. Use --run to choose another.\n`,
    );
  return latest;
}

/** The given run, or else all runs of the store. */
export async function runsIn({
  store: named,
  run,
}: {
  readonly store?: string;
  readonly run?: string;
}): Promise<readonly RunPlace[]> {
  const store = storeOrProject(named);
  const runs = run === undefined ? await withReader(store, runsOf) : [run];
  return runs.map((name) => ({ store, run: name }));
}
