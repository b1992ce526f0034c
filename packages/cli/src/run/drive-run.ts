import { setTimeout as wait } from "node:timers/promises";
import type { Kernel } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import {
  createWorker,
  workflowEnd,
  enqueueWorkflow,
  type LoadedTemplate,
  type WorkflowEnd,
} from "@bylaw/runner";
import type { StorePlace } from "../log/open-store.ts";
import { openDriver, workerName } from "./open-driver.ts";
import { drivenHere, type WorkParts } from "./prepare-workflow.ts";
import { CONTROL_FILE, onInterrupt, type RunOptions } from "./run-options.ts";

/** A run that this process or another worker drives. */
export interface DrivenRun extends Pick<WorkParts, "plugins" | "selection" | "from"> {
  /** A handle on the run that joined it without taking it over. */
  readonly run: Run;
  readonly loaded: LoadedTemplate;
  readonly kernel: Kernel;
  readonly place: StorePlace;
  readonly store: Store;
  readonly options: RunOptions;
}

const LOOK_MS = 500;

/**
 * Offers a run to all workers, drives it unless another one does, and waits until it ends or needs a person. Returns undefined if a
 * signal ended the command. Workers then continue the run.
 */
export async function driveHere({
  run,
  loaded,
  kernel,
  place,
  store,
  options,
  plugins,
  selection,
  from,
}: DrivenRun): Promise<WorkflowEnd | undefined> {
  const { driver: engine = "embedded", lease = 60, json = false, controlFile } = options;
  let failure: unknown;
  const onError = (error: unknown): void => void (failure ??= error);
  // Opened first, so that a run without a working driver is not offered.
  const driver = await openDriver(engine, { place, store, serves: false, onError });
  const parts = {
    kernel,
    plugins,
    place: place.shown,
    controlFile: controlFile ?? CONTROL_FILE,
    json,
  };
  const worker = createWorker({
    ...{ driver, store, name: workerName(), lease_ms: lease * 1_000, concurrency: 1, onError },
    runs: async () => [],
    templateOf: async (definition) =>
      definition === loaded.definition ? drivenHere(loaded, parts) : undefined,
  });
  const interrupt = new AbortController();
  const ignore = onInterrupt(() => interrupt.abort());
  const interrupted = new Promise<void>((resolve) => {
    interrupt.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    await enqueueWorkflow(store, run, loaded, { from, selection });
    for (;;) {
      await run.catchUp();
      const end = workflowEnd(loaded.template, run);
      if (end !== undefined) return end;
      if (failure !== undefined) throw failure;
      if (interrupt.signal.aborted) return undefined;
      const found = await worker.look(run.run);
      const pause =
        found === "taken"
          ? worker.done(run.run)
          : wait(LOOK_MS, undefined, { signal: interrupt.signal }).catch(() => {});
      await Promise.race([pause, interrupted]);
    }
  } finally {
    ignore();
    await worker.close();
  }
}
