import { join } from "node:path";
import { omitUndefined, type BylawError } from "@bylaw/kernel";
import { openRun, runFileName, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { faultOf } from "../observe/fault.ts";
import type { Log } from "../observe/logger.ts";
import { runByName } from "./kernel.ts";
import type { OrchestratorOptions } from "./options.ts";
import type { PreparedServer } from "./prepare-server.ts";
import { createStoreHealth, isStoreFailure } from "./store-health.ts";
import { openStore } from "./store.ts";

/** The log of a server's run. */
export interface OpenLog {
  readonly store: Store;
  readonly run: Run;
  readonly canCommit: () => Promise<boolean>;
  /** Why nothing is granted any more, where the log turned out to be changed. */
  broken(): BylawError | undefined;
  /** Is told that it was changed. */
  onBreak(error: BylawError): void;
  close(): Promise<void>;
}

/** Opens the store, unless one is given, and the run in it. */
export async function openLog(
  { settings, data, rules: { kernel, signing } }: PreparedServer,
  { store: given, head_copy = given === undefined }: OrchestratorOptions,
  { log, now }: { readonly log: Log; readonly now: () => string },
): Promise<OpenLog> {
  const opened = given === undefined ? await openStore(settings, data) : undefined;
  const used = given ?? opened;
  if (used === undefined) throw new Error("There is no store");
  const { store, canCommit } = createStoreHealth({ store: used, run: settings.run, log });
  let broken: BylawError | undefined;
  const onBreak = (error: BylawError): void => {
    if (broken === undefined)
      log.error(faultOf(error), "the log was tampered with, so nothing is granted any more");
    broken ??= error;
  };
  const head_file = head_copy ? join(data, `${runFileName(settings.run)}.head.json`) : undefined;
  const run = await openRun(kernel, {
    run: settings.run,
    store,
    join: true,
    now,
    chain: { secrets: signing.secrets, onBreak, ...omitUndefined({ head_file }) },
    onError: (error) => {
      if (!isStoreFailure(error))
        log.error(faultOf(error), "a sink failed, or the head of the log could not be kept");
    },
  });
  return {
    store,
    run: runByName(run, kernel),
    canCommit,
    broken: () => broken,
    onBreak,
    async close() {
      await run.close();
      await opened?.close();
    },
  };
}
