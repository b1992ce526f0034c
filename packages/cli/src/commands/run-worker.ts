import { join, resolve } from "node:path";
import {
  createWorker,
  findTemplates,
  loadTemplate,
  templateFile,
  templateRunFaults,
  type DrivenTemplate,
  type LoadedTemplate,
  type Worker,
  type WorkerOptions,
} from "@bylaw/runner";
import { takeToken } from "../approve/authority.ts";
import { reportError, usageError } from "../io/report-error.ts";
import { storePlace, withReader, withStore, type StorePlace } from "../log/open-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, plain } from "../io/text.ts";
import { openDriver, workerName } from "../run/open-driver.ts";
import { kernelOf } from "../run/run-kernel.ts";
import { drivenHere } from "../run/prepare-workflow.ts";
import { CONTROL_FILE, onInterrupt, type RunOptions } from "../run/run-options.ts";
import { makeStoreFolder } from "../run/store-folder.ts";
import { placesHere } from "../run/template-text.ts";

const REREAD_MS = 5_000;

/** Options for a single run, which a worker does not take. */
const OF_ONE_RUN = ["run", "resume", "by", "from", "track", "choose", "migrate", "dryRun"] as const;

/** Drives the runs of a store whose templates are on this machine, one after the other, until a signal. Then other workers continue its runs. */
export async function runWorker(wanted: string | undefined, options: RunOptions): Promise<void> {
  const { store, data, driver: engine = "embedded" } = options;
  // Removed, because a worker never answers questions, and neither may the programs that it starts.
  takeToken();
  checkOptions(options);
  const place = storePlace(store ?? `sqlite:${join(data ?? ".bylaw", "store.db")}`);
  makeStoreFolder(place);
  const templates = await templatesHere(wanted, options);
  const onError = (error: unknown): void => reportError(error, { json: false });
  await withStore(place, { create: true }, (opened) =>
    withReader(place, async (reader) => {
      const driver = await openDriver(engine, { place, store: opened, serves: true, onError });
      const parts = { driver, store: opened, runs: () => reader.runs(), onError };
      await serve(createWorker({ ...parts, ...workOf(templates, place, options) }), {
        templates: (await templates(false)).size,
        place,
        quiet: options.json === true,
      });
    }),
  );
  conclude(0);
}

function checkOptions(options: RunOptions): void {
  const odd = OF_ONE_RUN.find((name) => options[name] !== undefined);
  if (odd !== undefined)
    throw usageError(
      `\`--${odd.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}\` cannot be given with \`--worker\`, which takes any run`,
      "Remove one",
    );
  if (options.store !== undefined && options.data !== undefined)
    throw usageError("`--data` and `--store` cannot be given together", "Remove one");
}

/** The work that a worker carries out, and how it reports. */
function workOf(
  templates: Templates,
  { shown }: StorePlace,
  { config, json = false, lease = 60, controlFile = CONTROL_FILE }: RunOptions,
): Pick<WorkerOptions, "name" | "lease_ms" | "concurrency" | "templateOf" | "onTake" | "onEnd"> {
  const report = (run: string, outcome: string): void => {
    if (json) void write(jsonLine({ run, outcome }));
    else process.stderr.write(`${plain(run)}: ${outcome}\n`);
  };
  return {
    name: workerName(),
    lease_ms: lease * 1_000,
    // Runs at the same time would share one workspace.
    concurrency: 1,
    templateOf: drivenOf(templates, async (loaded) => {
      const { kernel, plugins } = await kernelOf(loaded.template, config);
      return drivenHere(loaded, { kernel, plugins, place: shown, controlFile, json: true });
    }),
    onTake: (run) => report(run, "taken"),
    onEnd: (run, { outcome }) => report(run, outcome),
  };
}

async function serve(
  worker: Worker,
  {
    templates,
    place,
    quiet,
  }: { readonly templates: number; readonly place: StorePlace; readonly quiet: boolean },
): Promise<void> {
  const ignore = onInterrupt(() => void worker.close());
  try {
    if (!quiet)
      process.stderr.write(
        `worker ${worker.name}: ${count(templates, "template")}, ${place.shown}\n`,
      );
    await worker.serve();
  } finally {
    ignore();
    await worker.close();
  }
}

type Templates = (again: boolean) => Promise<ReadonlyMap<string, LoadedTemplate>>;

/** The templates of this machine by digest. They are read again every few seconds, so that a new template needs no new worker. */
async function templatesHere(
  wanted: string | undefined,
  { agents, compat }: RunOptions,
): Promise<Templates> {
  const settings = {
    ...(agents === undefined ? {} : { agents: agents.map((path) => resolve(path)) }),
    ...(compat === undefined ? {} : { compat }),
  };
  let known = await readAll();
  let last = performance.now();

  async function readAll(): Promise<ReadonlyMap<string, LoadedTemplate>> {
    const files =
      wanted === undefined
        ? (await findTemplates(placesHere())).templates.map(({ file }) => file)
        : [await templateFile(wanted, placesHere())];
    const found = new Map<string, LoadedTemplate>();
    for (const file of files) {
      const loaded = await loadTemplate(file, settings);
      if (templateRunFaults(loaded.template).length === 0) found.set(loaded.definition, loaded);
    }
    return found;
  }

  return async (again) => {
    if (again && performance.now() - last > REREAD_MS) {
      last = performance.now();
      known = await readAll();
    }
    return known;
  };
}

function drivenOf(
  templates: Templates,
  drive: (loaded: LoadedTemplate) => Promise<DrivenTemplate>,
): (definition: string) => Promise<DrivenTemplate | undefined> {
  const driven = new Map<string, Promise<DrivenTemplate>>();
  return async (definition) => {
    const loaded =
      (await templates(false)).get(definition) ?? (await templates(true)).get(definition);
    if (loaded === undefined) return undefined;
    const one = driven.get(definition) ?? drive(loaded);
    driven.set(definition, one);
    one.catch(() => driven.delete(definition));
    return one;
  };
}
