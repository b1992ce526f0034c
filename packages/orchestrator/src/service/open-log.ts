import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { omitUndefined, type BylawError } from "@bylaw/kernel";
import { openRun, runFileName, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { Settings } from "../config/settings.ts";
import { faultOf, type Log } from "../observe/log.ts";
import { overlayRun, viewsByName } from "./overlay-run.ts";
import type { OrchestratorOptions, PreparedServer } from "./prepare-server.ts";
import { StoreHealth, isStoreFailure } from "./store-health.ts";

export interface OpenLog {
  readonly store: Store;
  readonly run: Run;
  readonly canCommit: () => Promise<boolean>;
  /** Returns why nothing is granted any more, if the log was tampered with. */
  readonly broken: () => BylawError | undefined;
  /** Called when the log turns out to be tampered with. */
  readonly onBreak: (error: BylawError) => void;
  close(): Promise<void>;
}

/** Opens the store, unless one is given, and the run in it. */
export async function openLog(
  { settings, data, rules: { kernel, signing } }: PreparedServer,
  { store: given, head_copy = given === undefined }: OrchestratorOptions,
  { log, now }: { readonly log: Log; readonly now: () => string },
): Promise<OpenLog> {
  const used = given ?? (await openStore(settings, data));
  const health = new StoreHealth(used, { run: settings.run, log });
  const { store } = health;
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
    chain: {
      secrets: signing.secrets.map(({ text }) => text),
      onBreak,
      ...omitUndefined({ head_file }),
    },
    onError: (error) => {
      if (!isStoreFailure(error))
        log.error(faultOf(error), "a sink failed, or the head of the log could not be saved");
    },
  });
  return {
    store,
    run: overlayRun(run, { view: viewsByName(kernel)(run.view) }),
    canCommit: () => health.canCommit(),
    broken: () => broken,
    onBreak,
    async close() {
      await run.close();
      if (given === undefined) await store.close();
    },
  };
}

/** Opens the store that the settings name. Throws BYLAW_STORE_UNUSABLE, without any password. */
async function openStore({ store }: Pick<Settings, "store">, data: string): Promise<Store> {
  if (store !== undefined && /^postgres(?:ql)?:\/\//i.test(store)) {
    const { openPostgresStore } = await import("@bylaw/store-postgres");
    return openPostgresStore(store);
  }
  const path =
    store === undefined ? join(data, "store.db") : resolve(store.replace(/^sqlite:/, ""));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { openSqliteStore } = await import("@bylaw/store-sqlite");
  return openSqliteStore(path);
}
